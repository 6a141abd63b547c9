import ErrandEventLoop
import ErrandHTTPServer
import ErrandLocking

/// A queue of messages from other threads to the server's thread.
///
/// libmicrohttpd can lose a call from another thread that resumes a connection. Therefore connections are resumed on
/// the server's thread, when it reads its messages. The thread is woken only if it waits, so that a busy server takes a
/// batch of responses without a system call.
final class Mailbox: Sendable {
    /// A message about an exchange.
    enum Message: Sendable {
        /// The handler has responded.
        case response(Exchange, ServerResponse)
        /// The stream of the response has a part, or has ended with `nil`.
        case part(Exchange, Result<[UInt8]?, any Error>)
        /// The stream of the content wants more.
        case demand(Exchange)
        /// The server shall stop, at the latest after the given time, and then call `done`.
        case stop(after: Milliseconds, done: @Sendable () -> Void)
    }

    private struct State {
        var messages: [Message] = []
        var readerWaits = false
        var isClosed = false
    }

    private let loop: EventLoop
    private let state = Mutex(State())

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Adds a message, which is dropped if the mailbox is closed.
    ///
    /// Thread-safe.
    func post(_ message: Message) {
        let wakes = state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            defer { state.readerWaits = false }
            return state.readerWaits
        }
        if wakes {
            loop.wake()
        }
    }

    /// Takes all messages: `messages` must be empty and is swapped with them.
    func take(into messages: inout [Message]) {
        state.withLock { state in
            swap(&state.messages, &messages)
            state.readerWaits = false
        }
    }

    /// Announces that the reader is about to wait, so that messages wake it.
    ///
    /// - Returns: `false` if the reader should not wait because there are messages.
    func readerMayWait() -> Bool {
        state.withLock { state in
            state.readerWaits = state.messages.isEmpty
            return state.readerWaits
        }
    }

    /// Closes the mailbox: drops the queued messages and all later ones.
    func close() {
        let messages = state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
        // Messages are freed outside the lock, because they may be the last owners of a handler's objects.
        _ = consume messages
    }
}
