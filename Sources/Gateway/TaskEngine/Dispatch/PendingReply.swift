import ErrandLocking
import ErrandTaskStore

/// The reply to a step that a client waits for.
///
/// Only the first reply counts: later ones are ignored, such as the end of a step after the client was told that it
/// takes too long. Any thread.
final class PendingReply: Sendable {
    /// The outcome of the step; the error if it could not be stored.
    typealias Reply = Result<TaskCommandOutcome, TaskStoreError>

    private enum State {
        case open
        case awaited(Continuation<Reply>)
        case given(Reply)
    }

    private let state = Mutex(State.open)

    /// Sets the reply, unless it is set already.
    func resume(returning reply: Reply) {
        let continuation = state.withLock { state -> Continuation<Reply>? in
            switch state {
            case .open:
                state = .given(reply)
                return nil
            case .awaited(let continuation):
                state = .given(reply)
                return continuation
            case .given:
                return nil
            }
        }
        continuation?.resume(returning: reply)
    }

    /// Waits for the reply.
    ///
    /// May be read once. The wait does not end with the calling task: the caller of ``resume(returning:)`` limits it.
    var value: Reply {
        get async {
            await withContinuation { continuation in
                let given = state.withLock { state -> Reply? in
                    if case .given(let reply) = state { return reply }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        }
    }
}
