public import ErrandLocking

/// The messages that other threads send to the thread of an event loop, in order of arrival.
///
/// The client of the loop takes all messages in each turn. Therefore only the first message after a turn wakes the
/// loop, which costs no system call while the loop is busy.
@usableFromInline
package final class Mailbox<Message: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var messages: [Message] = []
        @usableFromInline var isClosed = false
    }

    private let loop: EventLoop
    @usableFromInline let state = Mutex(State())

    /// Creates an empty mailbox.
    ///
    /// - Parameter loop: The loop whose client takes the messages in each turn.
    package init(loop: EventLoop) {
        self.loop = loop
    }

    /// Adds a message; the loop takes it in its next turn.
    ///
    /// May be called on any thread.
    ///
    /// - Returns: `false` if the mailbox is closed. The message is then dropped.
    @inlinable
    @discardableResult
    package func post(_ message: Message) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.messages.append(message)
            return (true, state.messages.count == 1)
        }
        if isFirst { wakeLoop() }
        return isTaken
    }

    @usableFromInline
    func wakeLoop() {
        loop.wake()
    }

    /// Moves all messages into `messages`, which must be empty; its storage is reused for the mailbox.
    @inlinable
    package func take(into messages: inout [Message]) {
        state.withLock { swap(&$0.messages, &messages) }
    }

    /// Closes the mailbox, which then drops further messages.
    ///
    /// - Returns: The messages that were not taken. They are freed outside the lock, because they may be the last owners
    ///   of objects.
    @discardableResult
    package func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
