import ErrandSessionCore
import ErrandTaskStore
import ErrandTransfer
import Testing

@testable import ErrandTaskAdmission

@Suite("Admission: rates and upstream")
struct AdmissionUpstreamTests {
    @Test("A burst starts at once, then one task whenever the rate allows, with the time reported")
    func rate() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(10, per: .seconds(1), burst: 2)])
        for _ in 0..<5 { admission.enqueueNew(session: "a") }
        let first = admission.start()
        #expect(first.tasks.count == 2)
        #expect(admission.offset(first.wakeAt) == .milliseconds(100))
        #expect(admission.waitReason(session: "a") == .rate)
        admission.advance(by: .nanoseconds(99_999_999))
        #expect(admission.start().tasks.isEmpty)
        admission.advance(by: .nanoseconds(1))
        let next = admission.start()
        #expect(next.tasks.count == 1)
        #expect(admission.offset(next.wakeAt) == .milliseconds(200))
    }

    @Test("A rate of 100/s starts 1,000 in ten seconds after its burst, even if the timer is always late")
    func lateWaker() {
        let admission = AdmissionSubject(
            maxRunning: 10_000, window: 10_000, rules: ["a": .rate(100, per: .seconds(1), concurrent: 9999)])
        for _ in 0..<2000 { admission.enqueueNew(session: "a") }
        var starts = admission.start()
        #expect(starts.tasks.count == 100, "the burst is one second's rate")
        var count = 0
        var late = 0
        while let wakeAt = admission.offset(starts.wakeAt), wakeAt <= .seconds(10) {
            late = (late + 3) % 11
            admission.advance(by: wakeAt + .milliseconds(late) - (admission.offset(admission.now) ?? .zero))
            starts = admission.start()
            count += starts.tasks.count
        }
        #expect((980...1020).contains(count), "\(count)")
    }

    @Test("The default burst is one second's rate, at least one attempt")
    func defaultBurst() {
        for (rules, burst) in [
            (SessionRules.rate(7, per: .seconds(1)), 7), (.rate(120, per: .seconds(60)), 2),
            (.rate(1, per: .seconds(60)), 1),
        ] {
            let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules])
            for _ in 0..<20 { admission.enqueueNew(session: "a") }
            #expect(admission.start().tasks.count == burst)
        }
    }

    @Test("A session that must wait blocks no other")
    func others() {
        let admission = AdmissionSubject(
            maxRunning: 100, rules: ["slow": .rate(1, per: .seconds(60)), "fast": .concurrent(50)])
        for _ in 0..<10 {
            admission.enqueueNew(session: "slow")
            admission.enqueueNew(session: "fast")
        }
        let starts = admission.start()
        #expect(starts.tasks.count { $0.session == "fast" } == 10)
        #expect(starts.tasks.count { $0.session == "slow" } == 1)
        #expect(admission.offset(starts.wakeAt) == .seconds(60))
    }

    @Test("A new task counts against the rate too, and waits when the rate is exhausted")
    func reservation() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(1, per: .seconds(10))])
        #expect(admission.reserve(session: "a"))
        #expect(!admission.reserve(session: "a"))
        admission.advance(by: .seconds(10))
        #expect(admission.reserve(session: "a"))
    }

    @Test("An attempt that does not start returns its rate token")
    func giveBack() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(1, per: .seconds(10))])
        admission.enqueueNew(session: "a")
        let next = admission.enqueueNew(session: "a")
        for start in admission.start().tasks { admission.release(start.id, session: "a", hasBegun: false) }
        #expect(admission.start().tasks.map(\.id) == [next])
        for start in [next] { admission.release(start, session: "a") }
        admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.isEmpty, "what has begun counts")
    }

    @Test("Without a free slot no wake-up time is reported")
    func noWakeWithoutSlots() {
        let admission = AdmissionSubject(
            maxRunning: 1, rules: ["slow": .rate(1, per: .seconds(60)), "fast": .concurrent(5)])
        for _ in 0..<2 { admission.enqueueNew(session: "slow") }
        let first = admission.start()
        #expect(first.tasks.count == 1)
        #expect(first.wakeAt == nil)
        for start in first.tasks { admission.release(start.id, session: "slow") }
        #expect(admission.offset(admission.start().wakeAt) == .seconds(60))
    }

    @Test("A session pauses as long as its upstream has asked, by the latest time, and no longer")
    func quiet() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(5)])
        let waiting = admission.enqueueNew(session: "a")
        admission.stayQuiet(for: .seconds(2), session: "a")
        admission.stayQuiet(for: .seconds(1), session: "a")
        admission.stayQuiet(for: .seconds(-5), session: "a")
        #expect(admission.waitReason(session: "a") == .retryAfter)
        #expect(!admission.reserve(session: "a"))
        let starts = admission.start()
        #expect(starts.tasks.isEmpty)
        #expect(admission.offset(starts.wakeAt) == .seconds(2))
        #expect(admission.offset(admission.conditions(session: "a")?.quietUntil) == .seconds(2))
        admission.advance(by: .seconds(2))
        #expect(admission.waitReason(session: "a") == nil)
        #expect(admission.conditions(session: "a")?.quietUntil == nil)
        #expect(admission.start().tasks.map(\.id) == [waiting])
    }

    @Test("A requested pause that ends in the past has no effect")
    func quietInThePast() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(5)])
        admission.stayQuiet(for: .seconds(-1), session: "a")
        #expect(admission.waitReason(session: "a") == nil)
        #expect(admission.reserve(session: "a"))
    }

    @Test("Too many failures stop a session, then one attempt checks whether the upstream has recovered")
    func circuit() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .circuit(2)])
        for _ in 0..<6 { admission.enqueueNew(session: "a") }
        let started = admission.start().tasks.map(\.id)
        #expect(started.count == 6)
        for task in started[..<2] { admission.end(task, .failure, session: "a") }
        #expect(admission.waitReason(session: "a") == .circuitOpen)
        for _ in 0..<3 { admission.enqueueNew(session: "a") }
        #expect(!admission.reserve(session: "a"))
        #expect(admission.offset(admission.start().wakeAt) == .seconds(10))
        for task in started[2..<4] { admission.end(task, .success, session: "a") }
        #expect(admission.start().tasks.isEmpty, "what began before tells nothing now")

        admission.advance(by: .seconds(10))
        #expect(admission.conditions(session: "a")?.circuit == .halfOpen)
        let probes = admission.start()
        #expect(probes.tasks.count == 1)
        #expect(probes.wakeAt == nil)
        #expect(admission.waitReason(session: "a") == .circuitOpen)
        admission.end(started[4], .success, session: "a")
        #expect(admission.start().tasks.isEmpty, "that was not the probe")
        admission.end(probes.tasks[0].id, .success, session: "a")
        #expect(admission.conditions(session: "a")?.circuit == .closed)
        #expect(admission.start().tasks.count == 2)
    }

    @Test("After a neutral probe, or one that does not start, another is allowed")
    func neutralProbe() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .circuit(1)])
        let first = admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.count == 1)
        admission.end(first, .failure, session: "a")
        let waiting = (0..<3).map { _ in admission.enqueueNew(session: "a") }
        admission.advance(by: .seconds(10))
        #expect(admission.start().tasks.map(\.id) == [waiting[0]])
        admission.release(waiting[0], session: "a")
        #expect(admission.start().tasks.map(\.id) == [waiting[1]])
        admission.release(waiting[1], session: "a", hasBegun: false)
        #expect(admission.start().tasks.map(\.id) == [waiting[2]])
        admission.end(waiting[2], .failure, session: "a")
        #expect(admission.offset(admission.conditions(session: "a").flatMap(\.openUntil)) == .seconds(20))
    }

    @Test("A started task must stop if its session was paused, its upstream asked for a pause, or its circuit opened")
    func mustStop() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .circuit(1)])
        let tasks = (0..<3).map { _ in admission.enqueueNew(session: "a") }
        #expect(admission.start().tasks.count == 3)
        #expect(!admission.mustStop(tasks[1], session: "a"))
        _ = admission.set(.cancelingTasks, to: true, session: "a")
        #expect(admission.mustStop(tasks[1], session: "a"))
        _ = admission.set(.cancelingTasks, to: false, session: "a")
        admission.stayQuiet(for: .seconds(1), session: "a")
        #expect(admission.mustStop(tasks[1], session: "a"))
        admission.advance(by: .seconds(1))
        #expect(!admission.mustStop(tasks[1], session: "a"))
        admission.end(tasks[0], .failure, session: "a")
        #expect(admission.mustStop(tasks[1], session: "a"))
        admission.advance(by: .seconds(10))
        let probe = admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.map(\.id) == [probe])
        #expect(!admission.mustStop(probe, session: "a"))
        #expect(admission.mustStop(tasks[1], session: "a"), "one at a time")
        #expect(admission.mustStop(tasks[1], session: "gone"))
    }

    @Test("Unchanged rules keep their state, and a changed rate does not refill the burst")
    func otherRules() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(5, per: .seconds(10), burst: 5)])
        for _ in 0..<20 { admission.enqueueNew(session: "a") }
        #expect(admission.start().tasks.count == 5)
        admission.configure(maxRunning: 100, rules: ["a": .rate(5, per: .seconds(10), burst: 5)])
        #expect(admission.start().tasks.isEmpty)
        admission.configure(maxRunning: 100, rules: ["a": .rate(10, per: .seconds(10), burst: 8)])
        let starts = admission.start()
        #expect(starts.tasks.isEmpty)
        #expect(admission.offset(starts.wakeAt) == .seconds(1))
        admission.configure(maxRunning: 100, rules: ["a": .concurrent(100)])
        #expect(admission.start().tasks.count == 15)
    }

    @Test("A removed session keeps its requested pause, open circuit and rate until it is added again")
    func goneSession() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(5)])
        admission.stayQuiet(for: .seconds(5), session: "a")
        admission.configure(maxRunning: 100, rules: [:])
        #expect(admission.waitReason(session: "a") == .sessionNotConfigured)
        admission.configure(maxRunning: 100, rules: ["a": .concurrent(5)])
        #expect(admission.waitReason(session: "a") == .retryAfter)
    }

    /// New rules for a session whose upstream asked for a pause of 60 s, and opened its circuit for 10 s.
    struct Reload: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var url = "http://one.example/v2/"
        var failures = 1
        var longestPause: Duration? = .seconds(3600)
        /// The rest of the pause.
        var pause: Duration? = .seconds(60)
        var isOpen = true
    }

    @Test(
        "A pause and an open circuit last through new rules, as far as those allow, but not for another upstream",
        arguments: [
            Reload(testDescription: "another path"),
            Reload(testDescription: "another host", url: "http://two.example/v1/", pause: nil, isOpen: false),
            Reload(testDescription: "another port", url: "http://one.example:81/v1/", pause: nil, isOpen: false),
            Reload(testDescription: "a shorter longest pause", longestPause: .seconds(9), pause: .seconds(9)),
            Reload(testDescription: "pauses are switched off", longestPause: nil, pause: nil),
            Reload(testDescription: "the circuit is switched off", failures: 0, isOpen: false),
        ])
    func reload(to reload: Reload) throws {
        var rules = SessionRules.circuit(1)
        rules.origin = try HTTPURL("http://one.example/v1/").origin
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules])
        let task = admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.count == 1)
        admission.end(task, .failure, session: "a")
        admission.stayQuiet(for: .seconds(60), session: "a")
        rules.origin = try HTTPURL(reload.url).origin
        rules.circuitBreaker.failures = reload.failures
        rules.longestPause = reload.longestPause
        admission.configure(maxRunning: 100, rules: ["a": rules])
        let conditions = try #require(admission.conditions(session: "a"))
        let openUntil: Duration? = reload.isOpen ? .seconds(10) : nil
        #expect(admission.offset(conditions.quietUntil) == reload.pause)
        #expect(admission.offset(conditions.openUntil) == openUntil)
        #expect(conditions.failures == (reload.isOpen ? 1 : 0))
    }

    @Test("Wait reasons are reported in order: operator, upstream, concurrency, rate")
    func holds() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(1, per: .seconds(60), concurrent: 2)])
        let first = admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.map(\.id) == [first])
        #expect(admission.waitReason(session: "a") == .rate)
        admission.advance(by: .seconds(60))
        admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.count == 1)
        #expect(admission.waitReason(session: "a") == .concurrency, "a slot comes before the rate")
        admission.stayQuiet(for: .seconds(1), session: "a")
        #expect(admission.waitReason(session: "a") == .retryAfter)
        _ = admission.set(.suspended, to: true, session: "a")
        #expect(admission.waitReason(session: "a") == .sessionSuspended)
    }

    @Test("The conditions of a session have its circuit, its failures and its remaining rate")
    func conditions() {
        var rules = SessionRules.rate(10, per: .seconds(1), burst: 3)
        rules.circuitBreaker = CircuitBreakerConfiguration(failures: 5)
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules])
        let task = admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.count == 1)
        admission.end(task, .failure, session: "a")
        #expect(
            admission.conditions(session: "a")
                == Admission.Conditions(circuit: .closed, failures: 1, quietUntil: nil, tokens: 2))
        #expect(admission.conditions(session: "gone") == nil)
    }

    @Test("Retries are counted per session, and not for unknown sessions")
    func retries() {
        var rules = SessionRules.concurrent(5)
        rules.retryBudget = RetryConfiguration.Budget(ratio: 1, minPerSecond: 1)
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules, "b": rules])
        for _ in 0..<10 { #expect(admission.takeRetry(session: "a") == nil) }
        #expect(admission.takeRetry(session: "a") == .seconds(1))
        #expect(admission.takeRetry(session: "b") == nil)
        #expect(admission.takeRetry(session: "gone") == nil)
        let task = admission.enqueueNew(session: "a")
        admission.noteFirstAttempt(task, session: "a")
        #expect(admission.takeRetry(session: "a") == nil)
        #expect(admission.takeRetry(session: "a") != nil)
    }
}

extension Admission.Conditions {
    fileprivate var openUntil: ContinuousClock.Instant? {
        guard case .open(let until) = circuit else { return nil }
        return until
    }
}
