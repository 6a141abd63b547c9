import EventLoop
import HTTPServer
import Locking

/// What other threads have for the server's thread.
///
/// libmicrohttpd must not be told from other threads to resume a connection, as such a call can be lost: it is told on
/// its own thread, when the mail is read. The thread is woken only when it waits, so that a busy server takes a whole
/// batch of answers without a system call.
final class Mailbox: Sendable {
    /// A message about an exchange.
    enum Message: Sendable {
        /// The handler has answered.
        case answer(Exchange, ServerResponse)
        /// The stream of the answer has a part, or has ended with `nil`.
        case part(Exchange, Result<[UInt8]?, any Error>)
        /// The stream of the content wants more.
        case demand(Exchange)
        /// The server is to stop, at the latest after the given time, then to call `done`.
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

    /// Leaves a message, which is thrown away when the mailbox is closed.
    ///
    /// Any thread.
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

    /// Takes all messages: `messages` has to be empty, and is swapped with them.
    func take(into messages: inout [Message]) {
        state.withLock { state in
            swap(&state.messages, &messages)
            state.readerWaits = false
        }
    }

    /// The reader is about to wait; from now on messages wake it.
    ///
    /// `false` when it should not, as there is mail.
    func readerMayWait() -> Bool {
        state.withLock { state in
            state.readerWaits = state.messages.isEmpty
            return state.readerWaits
        }
    }

    /// Throws away what is there and what still comes: nobody reads any more.
    func close() {
        let messages = state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
        // Freed here, and not under the lock: they may be the last owners of a handler's things.
        _ = consume messages
    }
}
