import ErrandSessionCore
import HTTPTypes
import Testing

@Suite("RetryRule")
struct RetryRuleTests {
    /// 2026-11-21T12:00:00Z.
    private let now: Int64 = 1_795_262_400
    private var configuration: RetryConfiguration

    init() {
        configuration = RetryConfiguration()
        configuration.maxAttempts = 5
        configuration.backoff = RetryConfiguration.Backoff(
            initial: .seconds(1), multiplier: 2, max: .seconds(60), jitter: 0)
    }

    private func decide(
        _ attempt: EndedAttempt, random: Double = 0.5, _ configuration: RetryConfiguration? = nil
    ) -> RetryDecision {
        RetryRule(configuration ?? self.configuration).decide(after: attempt, random: random, now: now)
    }

    private func status(
        _ status: Int, number: Int = 1, elapsed: Duration = .zero, method: HTTPRequest.Method = .get,
        hasKey: Bool = false, headers: HTTPFields = [:]
    ) -> EndedAttempt {
        EndedAttempt(
            number: number, elapsed: elapsed, method: method, carriesIdempotencyKey: hasKey,
            error: SessionError(.unacceptableStatus, "no"), status: status, headers: headers)
    }

    // MARK: Retryable outcomes

    @Test("A success is not retried, whatever its status")
    func success() {
        for status in [200, 404, 503] {
            #expect(decide(EndedAttempt(number: 1, method: .get, status: status)) == .giveUp(nil))
        }
    }

    @Test("Only the configured statuses are retried")
    func statuses() {
        for code in [408, 429, 500, 502, 503, 504] { #expect(decide(status(code)) == .retry(after: .seconds(1))) }
        for code in [400, 401, 404, 409, 410, 422, 501, 505] { #expect(decide(status(code)) == .giveUp(.status)) }
        var other = configuration
        other.statuses = StatusSet([418...418])
        #expect(decide(status(418), other) == .retry(after: .seconds(1)))
        #expect(decide(status(503), other) == .giveUp(.status), "a transient status is not retried unless configured")
    }

    @Test("Content that could not be read is retried if its status is configured")
    func unreadable() {
        for code in [SessionErrorCode.badContentEncoding, .bodyTooLarge, .unacceptableContentType, .unparsableBody] {
            let error = SessionError(code, "no")
            #expect(decide(EndedAttempt(number: 1, method: .get, error: error, status: 200)) == .giveUp(nil))
            let failed = EndedAttempt(number: 1, method: .get, error: error, status: 503)
            #expect(decide(failed) == .retry(after: .seconds(1)))
        }
    }

    @Test("An error is retried exactly if it is retryable", arguments: SessionErrorCode.allCases)
    func errors(code: SessionErrorCode) {
        guard code.domain != .response else { return }
        let attempt = EndedAttempt(number: 1, method: .get, error: SessionError(code, "no"))
        #expect(decide(attempt) == (code.isRetryable ? .retry(after: .seconds(1)) : .giveUp(nil)))
    }

    @Test("Cancellation, deadlines, policies and trust are final, even with a retryable status")
    func final() {
        let codes: [SessionErrorCode] = [
            .canceled, .deadlineExceeded, .egressDenied, .urlOutOfScope, .pinMismatch, .untrustedRoot,
            .checksumMismatch,
        ]
        for code in codes {
            let attempt = EndedAttempt(number: 1, method: .get, error: SessionError(code, "no"), status: 503)
            #expect(decide(attempt) == .giveUp(nil))
        }
    }

    private func refusedRedirect(_ status: Int?, method: HTTPRequest.Method = .get) -> EndedAttempt {
        EndedAttempt(number: 1, method: method, error: SessionError(.redirectRefused, "no"), status: status)
    }

    @Test("A redirect that is not followed is retried if its status is configured", arguments: [301, 303, 308])
    func refusedRedirects(code: Int) {
        #expect(decide(refusedRedirect(code)) == .giveUp(nil))
        var other = configuration
        other.statuses = StatusSet([300...308])
        #expect(decide(refusedRedirect(code), other) == .retry(after: .seconds(1)))
        #expect(decide(refusedRedirect(code, method: .post), other) == .giveUp(.mayHaveArrived))
        #expect(decide(refusedRedirect(nil), other) == .giveUp(nil), "no response tells the status")
    }

    // MARK: Repeatable requests

    private static let repeats: [(method: HTTPRequest.Method, hasKey: Bool, mayHaveArrived: Bool, isRepeated: Bool)] = [
        (.get, false, true, true), (.put, false, true, true), (.delete, false, true, true), (.head, false, true, true),
        (.post, false, true, false), (.patch, false, true, false),
        (.post, true, true, true), (.patch, true, true, true),
        (.post, false, false, true), (.patch, false, false, true),
    ]

    @Test(
        "A request that may have arrived is retried only with an idempotent method or a key",
        arguments: repeats)
    func repeating(method: HTTPRequest.Method, hasKey: Bool, mayHaveArrived: Bool, isRepeated: Bool) {
        let attempt = EndedAttempt(
            number: 1, method: method, carriesIdempotencyKey: hasKey, mayHaveArrived: mayHaveArrived,
            error: SessionError(.connectionLost, "cut", mayHaveArrived: mayHaveArrived))
        #expect(decide(attempt) == (isRepeated ? .retry(after: .seconds(1)) : .giveUp(.mayHaveArrived)))
    }

    @Test("A request whose content is spent is not retried, whatever else is true of it")
    func spent() {
        for (method, hasKey, mayHaveArrived, _) in Self.repeats {
            var attempt = EndedAttempt(
                number: 1, method: method, carriesIdempotencyKey: hasKey, mayHaveArrived: mayHaveArrived,
                error: SessionError(.connectionLost, "cut", mayHaveArrived: mayHaveArrived))
            attempt.hasSpentContent = true
            #expect(decide(attempt) == .giveUp(.mayHaveArrived))
        }
        var rejected = status(503, method: .put)
        rejected.hasSpentContent = true
        #expect(decide(rejected) == .giveUp(.mayHaveArrived))
    }

    @Test("A request whose method a hook has changed is retried only if both methods may be repeated")
    func changedByHook() {
        let rows: [(HTTPRequest.Method, by: Set<HTTPRequest.Method>, isRepeated: Bool)] = [
            (.get, [.put], true), (.get, [.post], false), (.get, [.put, .post], false), (.post, [.get], false),
        ]
        for (method, methods, isRepeated) in rows {
            let error = SessionError(.connectionLost, "cut", mayHaveArrived: true)
            let attempt = EndedAttempt(number: 1, method: method, methodsOfHooks: methods, error: error)
            #expect(decide(attempt) == (isRepeated ? .retry(after: .seconds(1)) : .giveUp(.mayHaveArrived)))
        }
    }

    @Test("A response proves that a POST has arrived, even if it asks for a later retry")
    func answeredPost() {
        for code in [429, 503] {
            let fields: HTTPFields = [.retryAfter: "2"]
            #expect(decide(status(code, method: .post, headers: fields)) == .giveUp(.mayHaveArrived))
            #expect(decide(status(code, method: .post, hasKey: true, headers: fields)) == .retry(after: .seconds(2)))
        }
    }

    @Test("The configuration may allow other methods, and forbid idempotent ones")
    func methods() {
        var other = configuration
        other.methods = [.post]
        #expect(decide(status(503, method: .post), other) == .retry(after: .seconds(1)))
        #expect(decide(status(503, method: .get), other) == .giveUp(.mayHaveArrived))
    }

    // MARK: Pauses

    @Test("Pauses double up to the maximum, for the maximum number of attempts")
    func backoff() {
        var other = configuration
        other.maxAttempts = 9
        let pauses: [Int64] = [1, 2, 4, 8, 16, 32, 60, 60]
        for (index, pause) in pauses.enumerated() {
            #expect(decide(status(503, number: index + 1), other) == .retry(after: .seconds(pause)))
        }
        #expect(decide(status(503, number: 9), other) == .giveUp(.attempts))
    }

    @Test("A single attempt is not retried")
    func noRetries() {
        var other = configuration
        other.maxAttempts = 1
        #expect(decide(status(503), other) == .giveUp(.attempts))
    }

    @Test("A pause varies at random by at most the jitter")
    func jitter() {
        var other = configuration
        other.backoff.jitter = 0.5
        let chances: [(random: Double, milliseconds: Int64)] = [
            (0, 500), (0.25, 750), (0.5, 1000), (1, 1500), (-3, 500), (7, 1500),
        ]
        for chance in chances {
            #expect(
                decide(status(503), random: chance.random, other) == .retry(after: .milliseconds(chance.milliseconds)))
        }
    }

    @Test("Pauses with the largest numbers are clamped to the maximum")
    func largest() {
        var other = configuration
        other.maxAttempts = .max
        other.maxElapsed = .seconds(1_000_000_000)
        other.backoff = RetryConfiguration.Backoff(
            initial: .seconds(1), multiplier: 1e300, max: .seconds(900), jitter: 0)
        #expect(decide(status(503, number: .max - 1), other) == .retry(after: .seconds(900)))
        other.backoff.multiplier = 1
        #expect(decide(status(503, number: .max - 1), other) == .retry(after: .seconds(1)))
        other.backoff.initial = .zero
        other.backoff.multiplier = 2
        #expect(decide(status(503, number: .max - 1), other) == .retry(after: .zero))
    }

    @Test("A retry after the maximum elapsed time is not made")
    func maxElapsed() {
        var other = configuration
        other.maxElapsed = .seconds(100)
        #expect(decide(status(503, elapsed: .seconds(99)), other) == .retry(after: .seconds(1)))
        #expect(decide(status(503, elapsed: .milliseconds(99_001)), other) == .giveUp(.time))
    }

    @Test("Retry-After replaces a shorter pause, but not a longer one")
    func retryAfter() {
        #expect(decide(status(503, headers: [.retryAfter: "30"])) == .retry(after: .seconds(30)))
        #expect(decide(status(503, number: 4, headers: [.retryAfter: "3"])) == .retry(after: .seconds(8)))
        let date = "Sat, 21 Nov 2026 12:00:20 GMT"
        #expect(decide(status(429, headers: [.retryAfter: date])) == .retry(after: .seconds(20)))
    }

    @Test("Retry-After beyond the maximum elapsed time ends the task")
    func retryAfterTooLong() {
        #expect(decide(status(503, headers: [.retryAfter: "86401"])) == .giveUp(.time))
        #expect(decide(status(503, headers: [.retryAfter: "86400"])) == .retry(after: .seconds(86_400)))
    }

    @Test("Retry-After is ignored if so configured")
    func disrespect() {
        var other = configuration
        other.respectsRetryAfter = false
        #expect(decide(status(503, headers: [.retryAfter: "30"]), other) == .retry(after: .seconds(1)))
    }

    @Test("A task's overrides take precedence over its session")
    func overrides() {
        var overrides = RetryOverrides()
        overrides.maxAttempts = 2
        overrides.backoff.initial = .seconds(7)
        overrides.statuses = StatusSet([404...404])
        let own = overrides.applied(to: configuration)
        #expect(decide(status(404), own) == .retry(after: .seconds(7)))
        #expect(decide(status(404, number: 2), own) == .giveUp(.attempts))
    }

    // MARK: Messages

    @Test("Messages are retried after the listed pauses, whatever the method and the status, until the list ends")
    func listed() {
        let pauses: [Duration] = [.seconds(5), .seconds(30), .seconds(120), .seconds(600)]
        let rule = RetryRule(listed: pauses, jitter: 0.2, final: [410])
        for (index, pause) in pauses.enumerated() {
            for code in [301, 400, 404, 409, 411, 500, 599] {
                let attempt = status(code, number: index + 1, elapsed: .seconds(1_000_000), method: .post)
                #expect(rule.decide(after: attempt, random: 0.5, now: now) == .retry(after: pause))
                #expect(rule.decide(after: attempt, random: 1, now: now) == .retry(after: pause * 1.2))
            }
        }
        let last = status(500, number: 5, method: .post)
        #expect(rule.decide(after: last, random: 0.5, now: now) == .giveUp(.attempts))
        #expect(rule.decide(after: status(410, method: .post), random: 0.5, now: now) == .giveUp(.status))
        // A receiver that has moved will have moved at the next attempt too.
        let moved = refusedRedirect(307, method: .post)
        #expect(rule.decide(after: moved, random: 0.5, now: now) == .giveUp(nil))
        let asked = status(429, method: .post, headers: [.retryAfter: "90"])
        #expect(rule.decide(after: asked, random: 0.5, now: now) == .retry(after: .seconds(90)))
        // No upstream can delay a message for years.
        let never = status(429, method: .post, headers: [.retryAfter: "3000000000"])
        #expect(rule.decide(after: never, random: 0.5, now: now) == .retry(after: .seconds(600)))
    }
}
