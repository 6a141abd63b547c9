/// A hook that is told of each attempt that has ended: for logs, metrics and traces.
///
/// The product `HTTPSessionObservability` has monitors for swift-log and swift-metrics.
public protocol RequestMonitor: Sendable {
    /// Notes the end of an attempt.
    ///
    /// Called once for each attempt, redirects and challenges included, with the outcome that the request takes from it,
    /// before a retrier is asked and before the request ends. An attempt with ``SessionOutcome/mayRestart`` is followed
    /// by another one: it was suspended for too long, or it is that of a download, which requests its content again or
    /// the rest of it. The attempt waits for the call: do not block. Any thread.
    func attemptDidEnd(_ attempt: MonitoredAttempt)
}

/// A monitor that is a closure.
public struct RequestObservation: RequestMonitor {
    private let note: @Sendable (MonitoredAttempt) -> Void

    /// Creates a monitor from a closure.
    public init(_ note: @escaping @Sendable (MonitoredAttempt) -> Void) {
        self.note = note
    }

    /// Calls the closure.
    public func attemptDidEnd(_ attempt: MonitoredAttempt) {
        note(attempt)
    }
}

extension RequestMonitor where Self == RequestObservation {
    /// Returns a monitor that is a closure.
    public static func observing(_ note: @escaping @Sendable (MonitoredAttempt) -> Void) -> Self {
        RequestObservation(note)
    }
}
