package import ErrandTime

/// The content of a request that a client sends separately from the task.
package enum TaskContent: Sendable, Hashable {
    /// The content has not arrived; the task fails at this time.
    case awaited(until: Timestamp)
    /// The content is complete and stored in a file.
    ///
    /// - Parameters:
    ///   - size: The number of bytes. There is no file for 0 bytes.
    ///   - sha256: The SHA-256 of the bytes (32 bytes).
    case stored(size: Int64, sha256: [UInt8])
    /// The content was passed on to the upstream while it arrived, and there is no file.
    ///
    /// - Parameters:
    ///   - size: The number of bytes that the transfer has taken.
    ///   - isComplete: False if the client, the upstream or the task ended before all of it was taken.
    case passedOn(size: Int64, isComplete: Bool)

    /// The time at which the task fails without content; `nil` if the gateway does not wait for it.
    package var awaitedUntil: Timestamp? {
        if case .awaited(let until) = self { until } else { nil }
    }

    /// The number of bytes of a stored content.
    package var storedSize: Int64? {
        if case .stored(let size, _) = self { size } else { nil }
    }

    /// The number of bytes of a complete content.
    package var size: Int64? {
        switch self {
        case .awaited, .passedOn(_, isComplete: false): nil
        case .stored(let size, _), .passedOn(let size, isComplete: true): size
        }
    }
}
