import ErrandSessionCore
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandTaskEngine

@Suite("Retries of callbacks")
struct RetryRuleCallbacksTests {
    private func decide(
        _ number: Int, _ status: Int?, _ code: SessionErrorCode = .unacceptableStatus, headers: HTTPFields = [:]
    ) -> RetryDecision {
        RetryRule.callbacks.decide(
            after: EndedAttempt(
                number: number, elapsed: .seconds(3600), method: .post, mayHaveArrived: true,
                error: SessionError(code, "failed"), status: status, headers: headers),
            random: 0.5, now: 0)
    }

    @Test("Retries follow after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and a day, then the delivery has failed")
    func pauses() {
        let seconds = [5, 30, 120, 600, 3600, 21_600, 86_400]
        for (index, pause) in seconds.enumerated() {
            #expect(decide(index + 1, 500) == .retry(after: .seconds(pause)))
        }
        #expect(decide(8, 500) == .giveUp(.attempts))
    }

    @Test("All attempts are made within 37 hours and a half, the jitter included")
    func longest() {
        #expect(RetryRule.callbacks.longestElapsed == .seconds(134_826))
        #expect(RetryRule(RetryConfiguration()).longestElapsed == .seconds(86_400))
    }

    @Test("Every status except 410 is retried", arguments: [301, 400, 404, 409, 411, 429, 599])
    func statuses(_ status: Int) {
        #expect(decide(1, status) == .retry(after: .seconds(5)))
        #expect(decide(1, 410) == .giveUp(.status))
    }

    @Test(
        "A receiver's Retry-After is respected, up to a day",
        arguments: [
            ("7200", 7200), ("86400", 86_400), ("86401", 86_400), ("1000000000", 86_400),
            ("99999999999999999999999", 86_400), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("1", 5), ("-1", 5),
        ])
    func asked(_ value: String, _ seconds: Int) {
        #expect(decide(1, 503, headers: [.retryAfter: value]) == .retry(after: .seconds(seconds)))
    }

    @Test("A receiver's Retry-After has no effect if the session says so", arguments: [false, true])
    func ignored(respects: Bool) {
        var configuration = RetryConfiguration()
        configuration.respectsRetryAfter = respects
        let attempt = EndedAttempt(
            number: 1, method: .post, error: SessionError(.unacceptableStatus, "failed"), status: 503,
            headers: [.retryAfter: "7200"])
        let rule = TaskKind.callback.handler.retryRule(under: configuration)
        #expect(rule.decide(after: attempt, random: 0.5, now: 0) == .retry(after: .seconds(respects ? 7200 : 5)))
    }

    @Test("Permanent errors end the delivery", arguments: [SessionErrorCode.egressDenied, .redirectRefused, .canceled])
    func final(_ code: SessionErrorCode) {
        #expect(decide(1, nil, code) == .giveUp(nil))
        #expect(decide(1, 307, code) == .giveUp(nil), "whatever the status")
    }
}
