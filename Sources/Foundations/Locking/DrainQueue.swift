/// A queue of actions, performed in the order in which they were decided: a value, guarded by the lock of the
/// decisions.
///
/// A thread that decides under a lock and acts after releasing it can be overtaken: a "suspend" would then be carried
/// out after a later "resume". So decisions are queued under the same lock, and the caller that finds the queue idle
/// drains it, performing each action without the lock.
struct ActionQueue<Action: Sendable>: Sendable {
    private var waiting: [Action] = []
    private var isAtWork = false

    /// Queues an action after all others.
    ///
    /// - Returns: True if the caller must perform the actions of ``next()`` until it returns `nil`. If false, another
    ///   caller is draining the queue and will also perform this action.
    mutating func append(_ action: Action) -> Bool {
        waiting.append(action)
        defer { isAtWork = true }
        return !isAtWork
    }

    /// Removes and returns the next action; `nil` ends the draining.
    mutating func next() -> Action? {
        isAtWork = !waiting.isEmpty
        return isAtWork ? waiting.removeFirst() : nil
    }
}
