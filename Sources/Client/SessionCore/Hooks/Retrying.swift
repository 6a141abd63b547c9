import ErrandTime
import ErrandTransfer

/// The count of the attempts of one task whose hooks have retriers, from the first attempt to the end of the task.
struct Retrying: Sendable {
    /// The time at which the first attempt began.
    private let start: ContinuousClock.Instant
    /// The number of attempts that have ended, without those after which another one follows anyway.
    private var number = 0

    /// Returns `nil` for a request without retriers.
    init?(_ request: PreparedRequest, time: MonotonicClock) {
        guard let retriers = request.extras?.hooks.retriers, !retriers.isEmpty else { return nil }
        start = time.now
    }

    /// Asks the retriers after an attempt, and waits for the pause that they decide.
    ///
    /// Canceling the control ends both.
    ///
    /// - Returns: The outcome with which the attempts end; `nil` if another one follows.
    mutating func finalOutcome(
        after outcome: SessionOutcome, of request: PreparedRequest, time: MonotonicClock, _ control: AttemptControl
    ) async -> SessionOutcome? {
        // An attempt that may restart is repeated without the retriers.
        guard let error = outcome.error, error.code != .canceled, !outcome.mayRestart, !outcome.isFinal else {
            return outcome
        }
        number += 1
        let failed = FailedAttempt(
            request: outcome.sent?.request ?? request.transfer, response: outcome.response, error: error,
            ended: EndedAttempt(outcome, of: request, number: number, elapsed: start.duration(to: time.now)))
        let retriers = request.extras?.hooks.retriers ?? []
        let clock = time.clock
        let (result, _) = await control.awaitWork(within: nil, by: time) { () async -> RetryResult in
            for retrier in retriers {
                let result = await retrier.retry(after: failed)
                if case .doNotRetry = result { continue }
                // Without a pause if the content cannot be sent again: no other attempt follows.
                if case .retryAfter(let pause) = result, pause > .zero, !failed.ended.hasSpentContent {
                    // Sleeping throws if it is canceled, and the outcome is then not used.
                    try? await clock.boundedSleep(for: pause)
                }
                return result
            }
            return .doNotRetry
        }
        guard control.canceled == nil else { return outcome }
        switch result {
        case .doNotRetry:
            return outcome
        case .retry, .retryAfter:
            return HopChain.rewindForResend(request.transfer.body) ? nil : outcome
        case .fail(let error):
            var last = outcome
            last.error = error
            return last
        }
    }
}
