import ErrandSessionCore
import ErrandTaskStore
import Testing

@testable import ErrandTaskAdmission

@Suite("Admission: destinations of one session")
struct AdmissionDestinationsTests {
    private typealias Key = Admission.DestinationKey

    private let hung = Key(session: "a", origin: "http://hung.example")
    private let well = Key(session: "a", origin: "http://well.example")

    /// Starts all possible tasks, and has each checked by its destination.
    private func judge(
        _ admission: AdmissionSubject, _ key: (TaskID) -> Key
    ) -> [(task: TaskID, verdict: Admission.DestinationVerdict)] {
        var verdicts: [(task: TaskID, verdict: Admission.DestinationVerdict)] = []
        while true {
            let starts = admission.start().tasks
            guard !starts.isEmpty else { return verdicts }
            for start in starts {
                let position = QueuePosition(priority: 5, readyAt: start.id.timestamp, id: start.id)
                verdicts.append((start.id, admission.begin(position, to: key(start.id))))
            }
        }
    }

    @Test("A destination that hangs takes a quarter of the session's places, and another one starts at once")
    func share() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(8)])
        let stuck = (0..<20).map { _ in admission.enqueueNew(session: "a") }
        let verdicts = judge(admission) { _ in hung }
        #expect(verdicts.count { $0.verdict == .begins } == 2)
        #expect(verdicts.count { $0.verdict == .waits } == 18)
        let other = admission.enqueueNew(session: "a")
        let next = judge(admission) { _ in well }
        #expect(next.map(\.task) == [other] && next.first?.verdict == .begins)
        #expect(admission.running(session: "a") == 3)
        // Releasing a place wakes the next task.
        admission.end(stuck[0], .success, session: "a")
        let woken = judge(admission) { _ in hung }
        #expect(woken.map(\.task) == [stuck[2]] && woken.first?.verdict == .begins)
    }

    @Test("A waiting task that was canceled keeps no place of its destination free for longer than the next end")
    func canceled() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(16)])
        let tasks = (0..<8).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.count { $0.verdict == .begins } == 4)
        // Its end wakes the fifth task, which is canceled: its place is not used.
        admission.end(tasks[0], .success, session: "a")
        admission.withdraw(tasks[4], session: "a")
        #expect(judge(admission) { _ in hung }.isEmpty)
        admission.end(tasks[1], .success, session: "a")
        let woken = judge(admission) { _ in hung }
        #expect(woken.map(\.task) == [tasks[5], tasks[6]])
        #expect(woken.allSatisfy { $0.verdict == .begins })
    }

    @Test("No task of a destination is left behind: each has its turn")
    func all() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(8)])
        var left = Set((0..<100).map { _ in admission.enqueueNew(session: "a") })
        var rounds = 0
        var running: [TaskID] = []
        while !left.isEmpty, rounds < 1000 {
            running += judge(admission) { _ in hung }.filter { $0.verdict == .begins }.map(\.task)
            guard let next = running.popLast() else { break }
            left.remove(next)
            admission.end(next, .success, session: "a")
            rounds += 1
        }
        #expect(left.isEmpty)
        #expect(admission.running(session: "a") == 0)
    }

    @Test(
        "A destination that keeps failing is paused, then probed by one task; others are not affected")
    func pause() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(40)])
        let tasks = (0..<5).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.allSatisfy { $0.verdict == .begins })
        for task in tasks { admission.end(task, .failure, session: "a") }
        _ = admission.enqueueNew(session: "a")
        guard case .later(let wait)? = judge(admission, { _ in hung }).first?.verdict else {
            Issue.record("not put off")
            return
        }
        #expect(wait >= Destination.firstPause && wait <= Destination.longestPause)
        _ = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in well }.first?.verdict == .begins)
        #expect(admission.takeRetry(session: "a", to: well) == nil)
        admission.advance(by: wait)
        let probe = admission.enqueueNew(session: "a")
        let second = admission.enqueueNew(session: "a")
        let verdicts = judge(admission) { _ in hung }
        #expect(verdicts.first { $0.task == probe }?.verdict == .begins)
        #expect(verdicts.first { $0.task == second }?.verdict != .begins)
        admission.end(probe, .success, session: "a")
        let third = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.contains { $0.task == third && $0.verdict == .begins })
    }

    @Test("Each destination has a budget of retries of its own")
    func budgets() {
        var rules = SessionRules.concurrent(8)
        rules.retryBudget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 1)
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules])
        for _ in 0..<10 { #expect(admission.takeRetry(session: "a", to: hung) == nil) }
        #expect(admission.takeRetry(session: "a", to: hung) != nil)
        #expect(admission.takeRetry(session: "a", to: well) == nil)
    }

    @Test("Sessions with endless tasks leave a place for each other session")
    func fairShare() {
        let names = (0..<16).map { "s\($0)" }
        let admission = AdmissionSubject(
            maxRunning: 100, rules: Dictionary(uniqueKeysWithValues: (names + ["last"]).map { ($0, .concurrent(64)) }))
        for name in names { for _ in 0..<64 { _ = admission.enqueueNew(session: name) } }
        #expect(admission.start().tasks.count < 100)
        let task = admission.enqueueNew(session: "last")
        #expect(admission.start().tasks.map(\.id) == [task])
        // A single session may take all places but one for each other session.
        let alone = AdmissionSubject(
            maxRunning: 100, window: 1000, rules: ["a": .concurrent(1000), "b": .concurrent(1)])
        for _ in 0..<200 { _ = alone.enqueueNew(session: "a") }
        #expect(alone.start().tasks.count == 99)
        #expect(alone.waitReason(session: "a") == .concurrency)
        #expect(alone.waitReason(session: "b") == nil)
    }

    @Test("No place is reserved for a session that was removed from the configuration, until it is configured again")
    func removedSessions() {
        let limits = ["a": 1000, "b": 1, "c": 1]
        let admission = AdmissionSubject(maxRunning: 100, window: 1000, limits: limits)
        let running = admission.enqueueNew(session: "c")
        #expect(admission.start().tasks.map(\.id) == [running])
        admission.configure(maxRunning: 100, window: 1000, limits: ["a": 1000])
        for _ in 0..<200 { _ = admission.enqueueNew(session: "a") }
        #expect(admission.start().tasks.count == 99)
        // A place that becomes free when a removed session ends its last task is not reserved either.
        admission.release(running, session: "c")
        #expect(admission.start().tasks.count == 1)
        admission.configure(maxRunning: 102, window: 1000, limits: limits)
        #expect(admission.start().tasks.isEmpty)
        let next = admission.enqueueNew(session: "b")
        #expect(admission.start().tasks.map(\.id) == [next])
    }
}
