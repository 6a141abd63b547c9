/// The state of a task.
package enum TaskState: String, Sendable, CaseIterable {
    /// The task waits for its scheduled time.
    case scheduled
    /// The task waits for a free slot.
    case queued
    /// An attempt is running.
    case running
    /// The task waits between two attempts.
    case waiting
    /// A client suspended the task.
    case suspended
    /// The task was canceled, and the connection of its attempt is being closed.
    case canceling
    /// The response arrived and passed validation.
    ///
    /// Terminal.
    case succeeded
    /// The task ended with an error.
    ///
    /// Terminal.
    case failed
    /// A client canceled the task.
    ///
    /// Terminal.
    case canceled

    /// True if the state never changes again.
    package var isTerminal: Bool {
        switch self {
        case .succeeded, .failed, .canceled: true
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling: false
        }
    }
}

/// The kind of a task.
package enum TaskKind: String, Sendable, CaseIterable {
    /// A request with a response in memory or a spool file.
    case data
    /// A request whose content is a file or is sent separately.
    case upload
    /// A request whose response becomes a file.
    case download
    /// The delivery of a message that another task has ended.
    ///
    /// Only the gateway creates it.
    case callback

    /// True for the delivery of a callback.
    package var isDelivery: Bool { self == .callback }
}
