import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskAdmission

@Suite("Admission: tokens of retries")
struct AdmissionRetriesTests {
    private typealias Key = Admission.DestinationKey

    private static let receiver = Key(session: "a", origin: "http://receiver.example")
    /// Without a destination and with one.
    private static let keys = [nil, receiver]

    /// Returns an admission of the session `a`, whose budgets have ten tokens each.
    private func admission(
        ratio: Double = 0, minPerSecond: Double = 1, _ change: (inout SessionRules) -> Void = { _ in }
    ) -> AdmissionSubject {
        var rules = SessionRules.concurrent(400)
        rules.retryBudget = RetryConfiguration.Budget(ratio: ratio, minPerSecond: minPerSecond)
        change(&rules)
        return AdmissionSubject(maxRunning: 1000, window: 1000, rules: ["a": rules])
    }

    @Test("A retry takes its token when it begins, and keeps its slot if it finds none", arguments: keys)
    func tokens(key: Admission.DestinationKey?) throws {
        let admission = admission()
        for _ in 0..<10 { #expect(admission.beginRetry(session: "a", to: key) != nil) }
        let late = try #require(admission.beginRetry(session: "a", to: key, .lacksToken(.seconds(1))))
        #expect(admission.running == 11)
        #expect(!admission.isDestined(late))
        // The last attempt of a task is made without a token.
        let position = QueuePosition(priority: 5, readyAt: late.timestamp, id: late)
        #expect(admission.begin(position, to: key) == .begins)
        admission.release(late, session: "a")
        #expect(admission.running == 10)
    }

    @Test("A retry that becomes due takes no token, and is postponed while there is none", arguments: keys)
    func due(key: Admission.DestinationKey?) {
        let admission = admission()
        for _ in 0..<100 { #expect(admission.retryPause(session: "a", to: key) == nil) }
        #expect(admission.takeRetries(session: "a", to: key) == 10)
        #expect(admission.retryPause(session: "a", to: key) == .seconds(1) + LookAgainQueue.spacing)
        #expect(admission.retryPause(session: "gone", to: key) == nil)
    }

    @Test("In a session that is held, every retry that becomes due is queued", arguments: keys)
    func held(key: Admission.DestinationKey?) {
        let suspended = admission()
        #expect(suspended.takeRetries(session: "a", to: key) == 10)
        #expect(suspended.set(.suspended, to: true, session: "a"))
        #expect(suspended.retryPause(session: "a", to: key) == nil)
        #expect(suspended.set(.suspended, to: false, session: "a"))
        #expect(suspended.retryPause(session: "a", to: key) != nil)

        let quiet = admission()
        #expect(quiet.takeRetries(session: "a", to: key) == 10)
        quiet.stayQuiet(for: .seconds(60), session: "a")
        #expect(quiet.retryPause(session: "a", to: key) == nil)

        let open = admission {
            $0.circuitBreaker = CircuitBreakerConfiguration(failures: 1, window: .seconds(60), open: .seconds(30))
        }
        #expect(open.takeRetries(session: "a", to: key) == 10)
        let task = open.enqueueNew(session: "a")
        #expect(open.start().tasks.map(\.id) == [task])
        open.end(task, .failure, session: "a")
        #expect(open.retryPause(session: "a", to: key) == nil)

        let limited = admission { $0.limits.rate = StartRate(1, per: .seconds(60)) }
        #expect(limited.takeRetries(session: "a", to: key) == 10)
        #expect(limited.reserve(session: "a"))
        #expect(limited.waitReason(session: "a") == .rate)
        #expect(limited.retryPause(session: "a", to: key) != nil)
    }

    @Test("However long a session is held, its retries begin with the tokens of its bucket only", arguments: keys)
    func heldForLong(key: Admission.DestinationKey?) {
        let admission = admission()
        #expect(admission.set(.suspended, to: true, session: "a"))
        for _ in 0..<100 {
            admission.advance(by: .seconds(1))
            #expect(admission.retryPause(session: "a", to: key) == nil)
        }
        #expect(admission.set(.suspended, to: false, session: "a"))
        var begun = 0
        for _ in 0..<100 where admission.beginRetry(session: "a", to: key) != nil { begun += 1 }
        #expect(begun == 10)
    }

    @Test("A retry that does not begin after all returns its token", arguments: keys)
    func givenUp(key: Admission.DestinationKey?) throws {
        let admission = admission(minPerSecond: 0.001)
        for _ in 0..<100 {
            let retry = try #require(admission.beginRetry(session: "a", to: key))
            admission.release(retry, session: "a", hasBegun: false)
        }
        #expect(admission.takeRetries(session: "a", to: key) == 10)
    }

    @Test("A successful retry returns the token that it has taken; one without a token returns none", arguments: keys)
    func success(key: Admission.DestinationKey?) throws {
        let admission = admission(ratio: 1)
        let retry = try #require(admission.beginRetry(session: "a", to: key))
        #expect(admission.takeRetries(session: "a", to: key) == 9)
        admission.noteRetrySuccess(retry, session: "a")
        admission.end(retry, .success, session: "a")
        // Its own, and as much as a first attempt adds.
        #expect(admission.takeRetries(session: "a", to: key) == 2)

        let atOnce = admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.map(\.id) == [atOnce])
        let position = QueuePosition(priority: 5, readyAt: .earliest, id: atOnce)
        #expect(admission.begin(position, to: key) == .begins)
        admission.noteRetrySuccess(atOnce, session: "a")
        admission.end(atOnce, .success, session: "a")
        #expect(admission.takeRetries(session: "a", to: key) == 1)
    }

    @Test("A second start of a retry that is being started takes no second token", arguments: keys)
    func startedTwice(key: Admission.DestinationKey?) throws {
        let admission = admission()
        let retry = try #require(admission.beginRetry(session: "a", to: key))
        let position = QueuePosition(priority: 5, readyAt: retry.timestamp, id: retry)
        // The store still reports it as queued.
        for needsToken in [true, false] {
            admission.enqueue(position, session: "a")
            #expect(admission.start().tasks.map(\.id) == [retry])
            #expect(admission.begin(position, to: key, needsToken: needsToken) == .waits)
            #expect(admission.running == 1)
        }
        admission.release(retry, session: "a", hasBegun: false)
        #expect(admission.takeRetries(session: "a", to: key) == 10)
    }
}
