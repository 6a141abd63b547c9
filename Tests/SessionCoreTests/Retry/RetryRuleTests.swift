import HTTPTypes
import SessionCore
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

    // MARK: Whether

    @Test("A success is not tried again, whatever its status")
    func success() {
        for status in [200, 404, 503] {
            #expect(decide(EndedAttempt(number: 1, method: .get, status: status)) == .giveUp)
        }
    }

    @Test("The configured statuses are worth another attempt, others are not")
    func statuses() {
        for code in [408, 429, 500, 502, 503, 504] { #expect(decide(status(code)) == .retry(after: .seconds(1))) }
        for code in [400, 401, 404, 409, 410, 422, 501, 505] { #expect(decide(status(code)) == .giveUp) }
        var other = configuration
        other.statuses = StatusSet([418...418])
        #expect(decide(status(418), other) == .retry(after: .seconds(1)))
        #expect(decide(status(503), other) == .giveUp, "what may pass in general is not what was asked for")
    }

    @Test("Content that could not be read is tried again where its status is one of those")
    func unreadable() {
        for code in [SessionErrorCode.badContentEncoding, .bodyTooLarge, .unacceptableContentType, .unparsableBody] {
            let error = SessionError(code, "no")
            #expect(decide(EndedAttempt(number: 1, method: .get, error: error, status: 200)) == .giveUp)
            let failed = EndedAttempt(number: 1, method: .get, error: error, status: 503)
            #expect(decide(failed) == .retry(after: .seconds(1)))
        }
    }

    @Test("Every error is tried again exactly when it may pass", arguments: SessionErrorCode.allCases)
    func errors(code: SessionErrorCode) {
        guard code.domain != .response else { return }
        let attempt = EndedAttempt(number: 1, method: .get, error: SessionError(code, "no"))
        #expect(decide(attempt) == (code.isRetryable ? .retry(after: .seconds(1)) : .giveUp))
    }

    @Test("Cancellation, deadlines, policies and trust are final, also with a status that is not")
    func final() {
        let codes: [SessionErrorCode] = [
            .canceled, .deadlineExceeded, .egressDenied, .redirectRefused, .pinMismatch, .untrustedRoot, .diskFull,
        ]
        for code in codes {
            let attempt = EndedAttempt(number: 1, method: .get, error: SessionError(code, "no"), status: 503)
            #expect(decide(attempt) == .giveUp)
        }
    }

    // MARK: What may be sent twice

    private static let repeats: [(method: HTTPRequest.Method, hasKey: Bool, mayHaveArrived: Bool, isRepeated: Bool)] = [
        (.get, false, true, true), (.put, false, true, true), (.delete, false, true, true), (.head, false, true, true),
        (.post, false, true, false), (.patch, false, true, false),
        (.post, true, true, true), (.patch, true, true, true),
        (.post, false, false, true), (.patch, false, false, true),
    ]

    @Test(
        "What may have arrived is sent again with an idempotent method or a key, what has not always",
        arguments: repeats)
    func repeating(method: HTTPRequest.Method, hasKey: Bool, mayHaveArrived: Bool, isRepeated: Bool) {
        let attempt = EndedAttempt(
            number: 1, method: method, carriesIdempotencyKey: hasKey, mayHaveArrived: mayHaveArrived,
            error: SessionError(.connectionLost, "cut", mayHaveArrived: mayHaveArrived))
        #expect((decide(attempt) != .giveUp) == isRepeated)
    }

    @Test("An answer proves that a POST has arrived, also one that asks to come back later")
    func answeredPost() {
        for code in [429, 503] {
            let fields: HTTPFields = [.retryAfter: "2"]
            #expect(decide(status(code, method: .post, headers: fields)) == .giveUp)
            #expect(decide(status(code, method: .post, hasKey: true, headers: fields)) == .retry(after: .seconds(2)))
        }
    }

    @Test("The configuration may allow other methods, and forbid idempotent ones")
    func methods() {
        var other = configuration
        other.methods = [.post]
        #expect(decide(status(503, method: .post), other) == .retry(after: .seconds(1)))
        #expect(decide(status(503, method: .get), other) == .giveUp)
    }

    // MARK: When

    @Test("Pauses double up to the longest, for as many attempts as there may be")
    func backoff() {
        var other = configuration
        other.maxAttempts = 9
        let pauses: [Int64] = [1, 2, 4, 8, 16, 32, 60, 60]
        for (index, pause) in pauses.enumerated() {
            #expect(decide(status(503, number: index + 1), other) == .retry(after: .seconds(pause)))
        }
        #expect(decide(status(503, number: 9), other) == .giveUp)
    }

    @Test("One attempt in all is no retry")
    func noRetries() {
        var other = configuration
        other.maxAttempts = 1
        #expect(decide(status(503), other) == .giveUp)
    }

    @Test("Chance makes a pause longer or shorter by the jitter, and by no more")
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

    @Test("Pauses of the largest numbers end at the longest")
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

    @Test("A retry that would come after the longest time in all is not made")
    func maxElapsed() {
        var other = configuration
        other.maxElapsed = .seconds(100)
        #expect(decide(status(503, elapsed: .seconds(99)), other) == .retry(after: .seconds(1)))
        #expect(decide(status(503, elapsed: .milliseconds(99_001)), other) == .giveUp)
    }

    @Test("Retry-After wins over a shorter pause, and not over a longer one")
    func retryAfter() {
        #expect(decide(status(503, headers: [.retryAfter: "30"])) == .retry(after: .seconds(30)))
        #expect(decide(status(503, number: 4, headers: [.retryAfter: "3"])) == .retry(after: .seconds(8)))
        let date = "Sat, 21 Nov 2026 12:00:20 GMT"
        #expect(decide(status(429, headers: [.retryAfter: date])) == .retry(after: .seconds(20)))
    }

    @Test("Retry-After beyond the longest time in all ends the task")
    func retryAfterTooLong() {
        #expect(decide(status(503, headers: [.retryAfter: "86401"])) == .giveUp)
        #expect(decide(status(503, headers: [.retryAfter: "86400"])) == .retry(after: .seconds(86_400)))
    }

    @Test("Who is told not to, does not care for Retry-After")
    func disrespect() {
        var other = configuration
        other.respectsRetryAfter = false
        #expect(decide(status(503, headers: [.retryAfter: "30"]), other) == .retry(after: .seconds(1)))
    }

    @Test("A task's own wishes come before its session's")
    func overrides() {
        var overrides = RetryOverrides()
        overrides.maxAttempts = 2
        overrides.backoff.initial = .seconds(7)
        overrides.statuses = StatusSet([404...404])
        let own = overrides.applied(to: configuration)
        #expect(decide(status(404), own) == .retry(after: .seconds(7)))
        #expect(decide(status(404, number: 2), own) == .giveUp)
    }

    // MARK: Messages

    @Test("Messages go out after the listed pauses, whatever the method and the status, until the list is over")
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
        #expect(rule.decide(after: status(500, number: 5, method: .post), random: 0.5, now: now) == .giveUp)
        #expect(rule.decide(after: status(410, method: .post), random: 0.5, now: now) == .giveUp)
        let asked = status(429, method: .post, headers: [.retryAfter: "90"])
        #expect(rule.decide(after: asked, random: 0.5, now: now) == .retry(after: .seconds(90)))
        // Nobody parks a message for years.
        let never = status(429, method: .post, headers: [.retryAfter: "3000000000"])
        #expect(rule.decide(after: never, random: 0.5, now: now) == .retry(after: .seconds(600)))
    }
}
