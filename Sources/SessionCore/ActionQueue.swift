/// Actions that are performed in the order in which they were decided: a value, for the lock that guards the decisions.
///
/// Who decides under a lock and acts after it can be overtaken in between, and a "suspend" then be carried out after
/// the "resume" that came later. So what was decided goes in here under the same lock, and whoever finds nobody at work
/// takes one action after the other out, and performs it without the lock.
struct ActionQueue<Action: Sendable>: Sendable {
    private var waiting: [Action] = []
    private var isAtWork = false

    /// Adds what is to be done after everything before it.
    ///
    /// - Returns: Whether the caller is to perform what ``next()`` gives, until that is nothing. If not, somebody else
    ///   is at it and does not stop before this.
    mutating func append(_ action: Action) -> Bool {
        waiting.append(action)
        defer { isAtWork = true }
        return !isAtWork
    }

    /// What is to be done next; `nil` ends the work.
    mutating func next() -> Action? {
        isAtWork = !waiting.isEmpty
        return isAtWork ? waiting.removeFirst() : nil
    }
}
