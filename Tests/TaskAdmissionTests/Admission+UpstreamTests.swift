import SessionCore
import TaskStore
import Testing

@testable import TaskAdmission

@Suite("Admission and time")
struct AdmissionUpstreamTests {
    @Test("A burst starts at once, then one whenever the rate allows, and it is said when")
    func rate() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(10, per: .seconds(1), burst: 2)])
        for _ in 0..<5 { admission.enqueueNew(session: "a") }
        let first = admission.start()
        #expect(first.tasks.count == 2)
        #expect(admission.offset(first.wakeAt) == .milliseconds(100))
        #expect(admission.hold(session: "a") == .rate)
        admission.advance(by: .nanoseconds(99_999_999))
        #expect(admission.start().tasks.isEmpty)
        admission.advance(by: .nanoseconds(1))
        let next = admission.start()
        #expect(next.tasks.count == 1)
        #expect(admission.offset(next.wakeAt) == .milliseconds(200))
    }

    @Test("A rate of 100/s starts 1,000 in ten seconds after its burst, also when the waker is always late")
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

    @Test("A burst that is not named is one second's rate, and at least one attempt")
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

    @Test("A session that must wait holds up no other")
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

    @Test("A new task takes of the rate too, and waits when there is nothing left of it")
    func reservation() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(1, per: .seconds(10))])
        #expect(admission.reserve(session: "a"))
        #expect(!admission.reserve(session: "a"))
        admission.advance(by: .seconds(10))
        #expect(admission.reserve(session: "a"))
    }

    @Test("An attempt that does not begin gives back what it has taken of the rate")
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

    @Test("Without a free place there is nothing to be woken for")
    func noWakeWithoutPlaces() {
        let admission = AdmissionSubject(
            maxRunning: 1, rules: ["slow": .rate(1, per: .seconds(60)), "fast": .concurrent(5)])
        for _ in 0..<2 { admission.enqueueNew(session: "slow") }
        let first = admission.start()
        #expect(first.tasks.count == 1)
        #expect(first.wakeAt == nil)
        for start in first.tasks { admission.release(start.id, session: "slow") }
        #expect(admission.offset(admission.start().wakeAt) == .seconds(60))
    }

    @Test("A session leaves its upstream alone for as long as that has asked, by the longest wish, and no longer")
    func quiet() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(5)])
        let waiting = admission.enqueueNew(session: "a")
        admission.stayQuiet(for: .seconds(2), session: "a")
        admission.stayQuiet(for: .seconds(1), session: "a")
        admission.stayQuiet(for: .seconds(-5), session: "a")
        #expect(admission.hold(session: "a") == .retryAfter)
        #expect(!admission.reserve(session: "a"))
        let starts = admission.start()
        #expect(starts.tasks.isEmpty)
        #expect(admission.offset(starts.wakeAt) == .seconds(2))
        #expect(admission.offset(admission.conditions(session: "a")?.quietUntil) == .seconds(2))
        admission.advance(by: .seconds(2))
        #expect(admission.hold(session: "a") == nil)
        #expect(admission.conditions(session: "a")?.quietUntil == nil)
        #expect(admission.start().tasks.map(\.id) == [waiting])
    }

    @Test("A wish to be left alone until a moment that is over is none")
    func quietInThePast() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(5)])
        admission.stayQuiet(for: .seconds(-1), session: "a")
        #expect(admission.hold(session: "a") == nil)
        #expect(admission.reserve(session: "a"))
    }

    @Test("Too many failures stop a session, then one attempt finds out whether the upstream is well again")
    func circuit() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .circuit(2)])
        for _ in 0..<6 { admission.enqueueNew(session: "a") }
        let started = admission.start().tasks.map(\.id)
        #expect(started.count == 6)
        for task in started[..<2] { admission.end(task, .failure, session: "a") }
        #expect(admission.hold(session: "a") == .circuitOpen)
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
        #expect(admission.hold(session: "a") == .circuitOpen)
        admission.end(started[4], .success, session: "a")
        #expect(admission.start().tasks.isEmpty, "that was not the probe")
        admission.end(probes.tasks[0].id, .success, session: "a")
        #expect(admission.conditions(session: "a")?.circuit == .closed)
        #expect(admission.start().tasks.count == 2)
    }

    @Test("A probe that tells nothing, or does not begin, lets another go")
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

    @Test("What was started must not begin when its session was held since, its upstream wants rest, or is not well")
    func mustStop() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .circuit(1)])
        let tasks = (0..<3).map { _ in admission.enqueueNew(session: "a") }
        #expect(admission.start().tasks.count == 3)
        #expect(!admission.mustStop(tasks[1], session: "a"))
        _ = admission.set(.sweeping, to: true, session: "a")
        #expect(admission.mustStop(tasks[1], session: "a"))
        _ = admission.set(.sweeping, to: false, session: "a")
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

    @Test("Rules that have not changed go on as they are; a rate that has changed brings no fresh burst")
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

    @Test("A wish, an open circuit and the rate of a session that goes are there when it is back")
    func goneSession() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(5)])
        admission.stayQuiet(for: .seconds(5), session: "a")
        admission.configure(maxRunning: 100, rules: [:])
        #expect(admission.hold(session: "a") == .sessionNotConfigured)
        admission.configure(maxRunning: 100, rules: ["a": .concurrent(5)])
        #expect(admission.hold(session: "a") == .retryAfter)
    }

    @Test("Holds are told in order: the operator, the upstream, a place, the rate")
    func holds() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .rate(1, per: .seconds(60), concurrent: 2)])
        let first = admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.map(\.id) == [first])
        #expect(admission.hold(session: "a") == .rate)
        admission.advance(by: .seconds(60))
        admission.enqueueNew(session: "a")
        #expect(admission.start().tasks.count == 1)
        #expect(admission.hold(session: "a") == .concurrency, "a place comes before the rate")
        admission.stayQuiet(for: .seconds(1), session: "a")
        #expect(admission.hold(session: "a") == .retryAfter)
        _ = admission.set(.suspended, to: true, session: "a")
        #expect(admission.hold(session: "a") == .sessionSuspended)
    }

    @Test("A session's conditions tell its circuit, its failures and what is left of its rate")
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

    @Test("Retries are counted for each session; a session that is not there counts none")
    func retries() {
        var rules = SessionRules.concurrent(5)
        rules.retryBudget = RetryConfiguration.Budget(ratio: 1, minPerSecond: 1)
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules, "b": rules])
        for _ in 0..<10 { #expect(admission.reserveRetry(session: "a") == .zero) }
        #expect(admission.reserveRetry(session: "a") == .seconds(1))
        #expect(admission.reserveRetry(session: "b") == .zero)
        #expect(admission.reserveRetry(session: "gone") == .zero)
        for _ in 0..<2 { admission.noteFirstAttempt(session: "a") }
        #expect(admission.reserveRetry(session: "a") == .zero)
    }
}

extension Admission.Conditions {
    fileprivate var openUntil: ContinuousClock.Instant? {
        guard case .open(let until) = circuit else { return nil }
        return until
    }
}
