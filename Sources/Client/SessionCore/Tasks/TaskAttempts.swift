package import ErrandTransfer

/// The attempts of one task: the request and the sink of each, and the meaning of its outcome for the task.
///
/// The calls of a task come one at a time: ``next(_:)``, the attempt, ``conclude(_:isCanceled:)``, and so on.
package protocol TaskAttempts: Sendable {
    /// Records the next attempt, for further requests beside its own, and to end its request.
    ///
    /// Called before ``next(_:)``. Default: does nothing.
    func willBegin(_ attempt: RunningAttempt)

    /// Returns the request and the sink of the next attempt.
    ///
    /// - Parameter request: The request of the task.
    /// - Throws: The error with which the task ends instead.
    func next(
        _ request: PreparedRequest
    ) async throws(SessionError) -> (request: PreparedRequest, sink: any BodySink)

    /// Returns the outcome that the task takes from an attempt.
    ///
    /// If it may restart (``SessionOutcome/mayRestart``), another attempt follows, unless the task is suspended or
    /// was canceled.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the attempt.
    ///   - isCanceled: Returns true if the task was canceled.
    func conclude(
        _ outcome: SessionOutcome, isCanceled: @escaping @Sendable () -> Bool
    ) async -> SessionOutcome

    /// Returns the progress of the content of all attempts, from that of the current transfer.
    ///
    /// Any thread. Default: that of the transfer.
    func progress(of transfer: TransferProgress) -> TransferProgress

    /// Called once when the task ends, before its outcome is visible, also if there was no attempt.
    ///
    /// Must not block.
    func didComplete(_ outcome: SessionOutcome)
}

extension TaskAttempts {
    /// Does nothing.
    package func willBegin(_ attempt: RunningAttempt) {}

    /// Returns the progress of the transfer.
    package func progress(of transfer: TransferProgress) -> TransferProgress { transfer }
}

/// Attempts with the task's own request, each with a new sink.
struct RepeatedAttempts: TaskAttempts {
    let makeSink: @Sendable () -> any BodySink

    func next(
        _ request: PreparedRequest
    ) async throws(SessionError) -> (request: PreparedRequest, sink: any BodySink) {
        (request, makeSink())
    }

    func conclude(
        _ outcome: SessionOutcome, isCanceled: @escaping @Sendable () -> Bool
    ) async -> SessionOutcome {
        outcome
    }

    func didComplete(_ outcome: SessionOutcome) {}
}
