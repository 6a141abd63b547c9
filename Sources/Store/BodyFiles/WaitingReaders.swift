import ErrandLocking

/// The readers that wait for more content of a spool; each waits once.
struct WaitingReaders {
    private var continuations: [UInt64: Continuation<Void>] = [:]
    private var lastToken: UInt64 = 0

    /// Returns a number for a reader that is going to wait.
    mutating func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// Adds a reader.
    mutating func add(_ token: UInt64, _ continuation: Continuation<Void>) {
        continuations[token] = continuation
    }

    /// Removes a reader that waits no longer; returns `nil` if it was taken.
    mutating func remove(_ token: UInt64) -> Continuation<Void>? {
        continuations.removeValue(forKey: token)
    }

    /// Removes all readers, and returns them; the caller resumes them outside the lock.
    mutating func take() -> [Continuation<Void>] {
        guard !continuations.isEmpty else { return [] }
        defer { continuations.removeAll(keepingCapacity: true) }
        return Array(continuations.values)
    }
}
