import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CircuitBreaker")
struct CircuitBreakerTests {
    private let start = ContinuousClock.now
    private let ids = TaskIDGenerator()

    private func at(_ seconds: Int64) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    private func breaker(_ failures: Int = 3) -> CircuitBreaker {
        CircuitBreaker(CircuitBreakerConfiguration(failures: failures, window: .seconds(60), open: .seconds(30)))
    }

    /// Returns a breaker whose circuit opened at the start.
    private func opened() -> CircuitBreaker {
        var breaker = breaker(1)
        breaker.note(.failure, of: ids.next(), at: start)
        return breaker
    }

    @Test("It opens for its configured time at the maximum number of failures within the window")
    func opens() {
        var breaker = breaker()
        for second in [0, 10] as [Int64] { breaker.note(.failure, of: ids.next(), at: at(second)) }
        #expect(breaker.state(at: at(10)) == .closed)
        #expect(breaker.failureCount(at: at(10)) == 2)
        breaker.note(.failure, of: ids.next(), at: at(20))
        #expect(breaker.state(at: at(20)) == .open(until: at(50)))
        #expect(breaker.failureCount(at: at(20)) == 3)
        #expect(!breaker.isReady(at: at(49)))
        #expect(breaker.state(at: at(50)) == .halfOpen)
        #expect(breaker.isReady(at: at(50)))
    }

    @Test("Failures further apart than the window never open it")
    func slidingWindow() {
        var breaker = breaker()
        for second in stride(from: Int64(0), to: 3000, by: 30) {
            breaker.note(.failure, of: ids.next(), at: at(second))
        }
        #expect(breaker.state(at: at(3000)) == .closed)
        #expect(breaker.failureCount(at: at(2970)) == 2)
        #expect(breaker.failureCount(at: at(5000)) == 0)
    }

    @Test("Successes and neutral outcomes have no effect while it is closed")
    func closed() {
        var breaker = breaker()
        for second in [0, 1] as [Int64] { breaker.note(.failure, of: ids.next(), at: at(second)) }
        breaker.note(.success, of: ids.next(), at: at(2))
        breaker.note(.neutral, of: ids.next(), at: at(2))
        #expect(breaker.failureCount(at: at(2)) == 2)
    }

    @Test("Without a number of failures it never opens")
    func off() {
        var breaker = breaker(0)
        for _ in 0..<1000 { breaker.note(.failure, of: ids.next(), at: start) }
        #expect(breaker.state(at: start) == .closed)
        #expect(breaker.failureCount(at: start) == 0)
    }

    @Test("Half open it allows one attempt until that has an outcome")
    func probe() {
        var breaker = opened()
        let (probe, other) = (ids.next(), ids.next())
        let early = breaker.begin(probe, at: at(29))
        let first = breaker.begin(probe, at: at(30))
        let second = breaker.begin(other, at: at(31))
        #expect(!early && first && !second)
        breaker.note(.success, of: other, at: at(32))
        #expect(breaker.state(at: at(32)) == .halfOpen, "another's outcome is not the probe's")
        breaker.note(.success, of: probe, at: at(33))
        #expect(breaker.state(at: at(33)) == .closed)
        #expect(breaker.failureCount(at: at(33)) == 0)
    }

    @Test("A failed probe opens it again, for the whole time")
    func failedProbe() {
        var breaker = opened()
        let probe = ids.next()
        let hasBegun = breaker.begin(probe, at: at(40))
        #expect(hasBegun)
        breaker.note(.failure, of: probe, at: at(45))
        #expect(breaker.state(at: at(45)) == .open(until: at(75)))
    }

    @Test("After a canceled or lost probe another is allowed")
    func neutralProbe() {
        var breaker = opened()
        let probe = ids.next()
        let hasBegun = breaker.begin(probe, at: at(30))
        breaker.note(.neutral, of: probe, at: at(31))
        let next = breaker.begin(ids.next(), at: at(31))
        #expect(hasBegun && next)
    }

    @Test("A change is returned when it opens and when a probe closes it, and not when a probe fails")
    func changes() {
        var breaker = breaker(2)
        let first = breaker.note(.failure, of: ids.next(), at: start)
        let second = breaker.note(.failure, of: ids.next(), at: start)
        let straggler = breaker.note(.failure, of: ids.next(), at: start)
        #expect(first == nil && second == .opened && straggler == nil)
        let failing = ids.next()
        _ = breaker.begin(failing, at: at(30))
        let failed = breaker.note(.failure, of: failing, at: at(31))
        let probe = ids.next()
        _ = breaker.begin(probe, at: at(70))
        let other = breaker.note(.success, of: ids.next(), at: at(71))
        let closed = breaker.note(.success, of: probe, at: at(72))
        let later = breaker.note(.success, of: ids.next(), at: at(73))
        #expect(failed == nil && other == nil && closed == .closed && later == nil)
    }

    @Test("Attempts from before it opened have no effect when they end")
    func stragglers() {
        var breaker = opened()
        for outcome in CircuitBreaker.Outcome.allCases { breaker.note(outcome, of: ids.next(), at: at(1)) }
        #expect(breaker.state(at: at(1)) == .open(until: at(30)))
    }

    @Test("A new configuration keeps an open circuit open, and one without failures closes it")
    func configure() {
        var breaker = opened()
        breaker.configure(CircuitBreakerConfiguration(failures: 5, window: .seconds(1), open: .seconds(1)))
        #expect(breaker.state(at: at(1)) == .open(until: at(30)))
        breaker.configure(CircuitBreakerConfiguration())
        #expect(breaker.state(at: at(1)) == .closed)
    }

    private static let outcomes: [(SessionError?, Int?, CircuitBreaker.Outcome)] = [
        (nil, 200, .success),
        (SessionError(.cannotConnect, "refused"), nil, .failure),
        (SessionError(.notConnected, "no route"), nil, .failure),
        (SessionError(.cannotFindHost, "no name"), nil, .failure),
        (SessionError(.timedOut, "too long"), nil, .failure),
        (SessionError(.connectionLost, "cut"), 200, .failure),
        (SessionError(.untrustedRoot, "who is that"), nil, .failure),
        (SessionError(.unacceptableStatus, "down"), 503, .failure),
        (SessionError(.unacceptableStatus, "broken"), 500, .failure),
        (SessionError(.unacceptableStatus, "slower"), 429, .neutral),
        (SessionError(.unacceptableStatus, "not there"), 404, .success),
        (SessionError(.unparsableBody, "what is that"), 200, .success),
        (SessionError(.tooManyRedirects, "round and round"), 302, .success),
        (SessionError(.bodyStreamExhausted, "sent once"), 307, .success),
        (SessionError(.authenticationFailed, "not this token", isRetryable: true), 401, .success),
        (SessionError(.canceled, "never mind"), nil, .neutral),
        (SessionError(.deadlineExceeded, "too late"), 500, .neutral),
        (SessionError(.egressDenied, "not there"), nil, .neutral),
        (SessionError(.diskFull, "no room"), 200, .neutral),
    ]

    @Test("Outcomes of attempts", arguments: outcomes)
    func outcome(_ error: SessionError?, _ status: Int?, _ expected: CircuitBreaker.Outcome) {
        let attempt = EndedAttempt(number: 1, method: .get, error: error, status: status)
        #expect(CircuitBreaker.Outcome(attempt) == expected)
        var suspended = attempt
        suspended.wasLostToSuspension = true
        #expect(CircuitBreaker.Outcome(suspended) == (error == nil ? .success : .neutral))
    }

    @Test("An attempt for which this machine had no descriptor or port says nothing about the upstream")
    func local() {
        var error = TransferError(.cannotConnect, "Could not connect")
        let ofUpstream = EndedAttempt(number: 1, method: .get, error: SessionError(error))
        error.isLocal = true
        let ofThisMachine = EndedAttempt(number: 1, method: .get, error: SessionError(error))
        #expect(CircuitBreaker.Outcome(ofUpstream) == .failure)
        #expect(CircuitBreaker.Outcome(ofThisMachine) == .neutral)
    }
}
