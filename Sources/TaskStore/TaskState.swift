/// Where a task is in its life.
package enum TaskState: String, Sendable, CaseIterable {
    /// Its time has not come.
    case scheduled
    /// Waits for a place.
    case queued
    /// An attempt is under way.
    case running
    /// Between two attempts.
    case waiting
    /// Held by a client.
    case suspended
    /// Told to stop; the attempt's connection is being closed.
    case canceling
    /// The response came and passed validation. Terminal.
    case succeeded
    /// It ended with an error. Terminal.
    case failed
    /// A client cancelled it. Terminal.
    case canceled

    /// Whether nothing will change any more.
    package var isTerminal: Bool {
        switch self {
        case .succeeded, .failed, .canceled: true
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling: false
        }
    }
}

/// What a task is.
package enum TaskKind: String, Sendable, CaseIterable {
    /// A request and a response in memory or a spool file.
    case data
    /// A request whose content is a file or comes separately.
    case upload
    /// A response that becomes a file.
    case download
    /// The delivery of a message that another task has ended; only the gateway makes it.
    case callback
}
