import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
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
    ) -> [(task: TaskID, verdict: Admission.StartVerdict)] {
        var verdicts: [(task: TaskID, verdict: Admission.StartVerdict)] = []
        while true {
            let starts = admission.start().tasks
            guard !starts.isEmpty else { return verdicts }
            for start in starts {
                let position = QueuePosition(priority: 5, readyAt: start.id.timestamp, id: start.id)
                verdicts.append((start.id, admission.begin(position, to: key(start.id))))
            }
        }
    }

    @Test("A destination that hangs takes a quarter of the session's slots, and another one starts at once")
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
        // Releasing a slot wakes the next task.
        admission.end(stuck[0], .success, session: "a")
        let woken = judge(admission) { _ in hung }
        #expect(woken.map(\.task) == [stuck[2]] && woken.first?.verdict == .begins)
    }

    @Test("Tasks that wait for a slot of their destination start when a reload gives it more")
    func moreSlots() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(8)])
        let tasks = (0..<8).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.count { $0.verdict == .begins } == 2)
        admission.configure(maxRunning: 100, rules: ["a": .concurrent(20)])
        let woken = judge(admission) { _ in hung }
        #expect(woken.map(\.task) == [tasks[2], tasks[3], tasks[4]])
        #expect(woken.allSatisfy { $0.verdict == .begins })
        admission.configure(maxRunning: 100, rules: ["a": .concurrent(4)])
        #expect(judge(admission) { _ in hung }.isEmpty)
        #expect(admission.running(session: "a") == 5)
    }

    @Test("A waiting task that was canceled keeps no slot of its destination free for longer than the next end")
    func canceled() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(16)])
        let tasks = (0..<8).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.count { $0.verdict == .begins } == 4)
        // Its end wakes the fifth task, which is canceled: its slot is not used.
        admission.end(tasks[0], .success, session: "a")
        admission.withdraw(tasks[4], session: "a")
        #expect(judge(admission) { _ in hung }.isEmpty)
        admission.end(tasks[1], .success, session: "a")
        let woken = judge(admission) { _ in hung }
        #expect(woken.map(\.task) == [tasks[5], tasks[6]])
        #expect(woken.allSatisfy { $0.verdict == .begins })
    }

    @Test("A second start of a task that is being started neither takes nor releases a slot of its destination")
    func startedTwice() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(8)])
        let task = admission.enqueueNew(session: "a")
        let position = QueuePosition(priority: 5, readyAt: task.timestamp, id: task)
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
        // The store still reports the task as queued, before or after its start is stored.
        admission.enqueue(position, session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.waits])
        admission.enqueue(position, session: "a")
        #expect(admission.start().tasks.map(\.id) == [task])
        admission.giveBack(task, session: "a")
        #expect(admission.isDestined(task))
        #expect(admission.running(session: "a") == 1)
        admission.end(task, .failure, session: "a")
        #expect(!admission.isDestined(task))
        #expect(admission.running(session: "a") == 0)
    }

    @Test("A delivery that probes the circuit of its session closes it with a success; a failure is its destination's")
    func probe() {
        var rules = SessionRules.concurrent(8)
        rules.circuitBreaker = CircuitBreakerConfiguration(failures: 1, window: .seconds(60), open: .seconds(30))
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules])
        let ordinary = admission.enqueueNew(session: "a")
        _ = admission.start()
        admission.end(ordinary, .failure, session: "a")
        admission.advance(by: .seconds(30))
        let failing = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
        admission.end(failing, .failure, session: "a")
        #expect(admission.conditions(session: "a")?.circuit == .halfOpen)
        let probe = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in well }.map(\.verdict) == [.begins])
        admission.end(probe, .success, session: "a")
        #expect(admission.conditions(session: "a")?.circuit == .closed)
    }

    @Test("A retry that is postponed by its destination's pause takes no token")
    func postponedRetry() {
        var rules = SessionRules.concurrent(40)
        rules.retryBudget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 1)
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules])
        let tasks = (0..<5).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.count == 5)
        for task in tasks { admission.end(task, .failure, session: "a") }
        for _ in 0..<20 {
            let retry = admission.enqueueNew(session: "a")
            #expect(admission.start().tasks.map(\.id) == [retry])
            let position = QueuePosition(priority: 5, readyAt: retry.timestamp, id: retry)
            guard case .later = admission.begin(position, to: hung, needsToken: true) else {
                Issue.record("The destination is not paused")
                return
            }
        }
        #expect(admission.running == 0)
        #expect(admission.takeRetries(session: "a", to: hung) == 10)
    }

    @Test("A retry that was woken for a free slot, and finds no token, leaves the slot to the next task")
    func wokenWithoutToken() {
        var rules = SessionRules.concurrent(8)
        rules.retryBudget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 1)
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": rules])
        let tasks = (0..<4).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins, .begins, .waits, .waits])
        #expect(admission.takeRetries(session: "a", to: hung) == 10)
        admission.end(tasks[0], .success, session: "a")
        let retry = tasks[2]
        #expect(admission.start().tasks.map(\.id) == [retry])
        let position = QueuePosition(priority: 5, readyAt: retry.timestamp, id: retry)
        guard case .lacksToken = admission.begin(position, to: hung, needsToken: true) else {
            Issue.record("The retry has a token")
            return
        }
        let woken = judge(admission) { _ in hung }
        #expect(woken.map(\.task) == [tasks[3]])
        #expect(woken.map(\.verdict) == [.begins])
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

    @Test("The failure of a destination has an age while the destination is paused; then a probe decides")
    func failureAge() {
        let admission = failing(pauseIsOver: false)
        admission.advance(by: .milliseconds(400))
        #expect(admission.failureAge(of: hung) == .milliseconds(400))
        #expect(admission.failureAge(of: well) == nil)
        admission.advance(by: Destination.firstPause)
        #expect(admission.failureAge(of: hung) == nil)
        #expect(admission.pause(of: hung, for: .sample(1)) == nil)
        #expect(admission.pause(of: hung, for: .sample(2)) == Destination.probePause)
    }

    @Test("A success of another attempt does not end the pause that a destination has asked for")
    func requestedPause() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(8)])
        let tasks = (0..<2).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins, .begins])
        admission.stayQuiet(for: .seconds(60), session: "a", toldTo: tasks[0])
        admission.end(tasks[0], .failure, session: "a")
        admission.end(tasks[1], .success, session: "a")
        _ = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.later(.seconds(60))])
        _ = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in well }.map(\.verdict) == [.begins])
    }

    @Test("Tasks are put off until a pause ends that a destination has asked for, one after the other")
    func longPause() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(8)])
        let task = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
        let pause = Duration.seconds(600)
        admission.stayQuiet(for: pause, session: "a", toldTo: task)
        admission.end(task, .failure, session: "a")
        for _ in 0..<2 { _ = admission.enqueueNew(session: "a") }
        #expect(
            judge(admission) { _ in hung }.map(\.verdict) == [.later(pause), .later(pause + LookAgainQueue.spacing)])
        #expect(admission.pause(of: hung, for: .sample(1)) == pause + LookAgainQueue.spacing * 2)
        admission.advance(by: pause)
        #expect(admission.pause(of: hung, for: .sample(1)) == nil)
        _ = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
    }

    @Test("Tasks of a destination that works again look again soon, however many others are waiting")
    func soonAfterSuccess() {
        let admission = failing()
        let probe = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
        var last: Duration?
        for _ in 0..<20_000 { last = admission.pause(of: hung, for: .sample(1)) }
        // The first of them is after 15 seconds, and 15,000 are a millisecond apart.
        #expect(last == .seconds(30) + LookAgainQueue.wideSpacing * 4999)
        admission.end(probe, .success, session: "a")
        for task in (0..<3).map({ _ in admission.enqueueNew(session: "a") }) {
            _ = judge(admission) { _ in hung }
            admission.end(task, .failure, session: "a")
        }
        admission.advance(by: Destination.firstPause)
        _ = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
        #expect(admission.pause(of: hung, for: .sample(1)) == Destination.probePause)
    }

    @Test("A reload that respects no requested pause ends that of a destination, and a shorter limit shortens it")
    func reloadedPause() {
        for (longest, left) in [(nil, nil), (Duration.seconds(20), Duration.seconds(20))] as [(Duration?, Duration?)] {
            let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(8)])
            let task = admission.enqueueNew(session: "a")
            #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
            admission.stayQuiet(for: .seconds(60), session: "a", toldTo: task)
            admission.end(task, .failure, session: "a")
            var rules = SessionRules.concurrent(8)
            rules.longestPause = longest
            admission.configure(maxRunning: 100, rules: ["a": rules])
            #expect(admission.pause(of: hung, for: .sample(1)) == left)
        }
    }

    @Test("A reset forgets the failures of destinations, and the pauses that they have asked for")
    func reset() {
        let admission = failing()
        let probe = admission.enqueueNew(session: "a")
        let waiting = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins, .waits])
        admission.stayQuiet(for: .seconds(3600), session: "a", toldTo: probe)
        admission.forgetUpstream(session: "a")
        let woken = judge(admission) { _ in hung }
        #expect(woken.map(\.task) == [waiting])
        #expect(woken.map(\.verdict) == [.begins])
        #expect(admission.pause(of: hung, for: .sample(1)) == nil)
    }

    @Test("A task waits for its destination from the refusal of a slot to the next end")
    func waiting() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(4)])
        let tasks = (0..<2).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins, .waits])
        #expect(admission.waitsAtDestination(tasks[1]))
        #expect(!admission.waitsAtDestination(tasks[0]))
        admission.end(tasks[0], .success, session: "a")
        #expect(!admission.waitsAtDestination(tasks[1]))
    }

    @Test("The tasks that wait at a destination start in their order, which run-now and priorities change")
    func waitingOrder() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(4)])
        let tasks = (0..<4).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins, .waits, .waits, .waits])
        let first = QueuePosition(priority: 5, readyAt: .earliest, id: tasks[3])
        admission.enqueue(first, session: "a")
        #expect(admission.start().tasks.map(\.id) == [tasks[3]])
        #expect(admission.begin(first, to: hung) == .waits)
        admission.configure(maxRunning: 100, rules: ["a": .concurrent(8)])
        #expect(admission.start().tasks.map(\.id) == [tasks[3]])
    }

    @Test("A task that has a slot at its destination does not wait there, and a new slot ends the wait of another one")
    func waitingEnds() {
        let admission = AdmissionSubject(maxRunning: 100, rules: ["a": .concurrent(4)])
        let tasks = (0..<2).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins, .waits])
        // The store reports the first one as queued once more.
        admission.enqueue(QueuePosition(priority: 5, readyAt: tasks[0].timestamp, id: tasks[0]), session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.waits])
        #expect(!admission.waitsAtDestination(tasks[0]))
        #expect(admission.waitsAtDestination(tasks[1]))
        admission.configure(maxRunning: 100, rules: ["a": .concurrent(8)])
        #expect(!admission.waitsAtDestination(tasks[1]))
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
    }

    /// Returns an admission in which a destination has failed so often that it is probed when the pause is over.
    private func failing(pauseIsOver: Bool = true) -> AdmissionSubject {
        let admission = AdmissionSubject(maxRunning: 1000, window: 1000, rules: ["a": .concurrent(40)])
        let tasks = (0..<3).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.allSatisfy { $0.verdict == .begins })
        for task in tasks { admission.end(task, .failure, session: "a") }
        if pauseIsOver { admission.advance(by: Destination.firstPause) }
        return admission
    }

    @Test("Tasks of a failing destination wait for the end of its probe, as far as there is room, and are queued again")
    func waitForProbe() {
        let admission = failing()
        let probe = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
        let second = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.waits])
        // The store may report it again: it waits once.
        admission.enqueue(QueuePosition(priority: 5, readyAt: second.timestamp, id: second), session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.waits])
        #expect(admission.running(session: "a") == 1)
        for _ in 1..<Destination.roomForWaiting { _ = admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.allSatisfy { $0.verdict == .waits })
        _ = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.later(Destination.probePause)])
        admission.end(probe, .failure, session: "a")
        let woken = judge(admission) { _ in hung }
        #expect(woken.count == Destination.roomForWaiting && woken.first?.task == second)
        for (_, verdict) in woken {
            guard case .later = verdict else {
                Issue.record("A task waits for nothing: \(verdict)")
                return
            }
        }
        #expect(admission.running == 0)
    }

    @Test("Tasks that wait for the end of a probe start when it succeeds")
    func startAfterProbe() {
        let admission = failing()
        let tasks = (0..<5).map { _ in admission.enqueueNew(session: "a") }
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins, .waits, .waits, .waits, .waits])
        // A reload does not let them begin, and they wait again.
        admission.configure(maxRunning: 1000, rules: ["a": .concurrent(80)])
        #expect(judge(admission) { _ in hung }.allSatisfy { $0.verdict == .waits })
        admission.end(tasks[0], .success, session: "a")
        #expect(judge(admission) { _ in hung }.map(\.task) == Array(tasks[1...]))
        #expect(admission.running(session: "a") == 4)
    }

    @Test("Of the tasks of a failing destination that become due one is queued, and another one if it does not begin")
    func oneCandidate() {
        let admission = failing()
        let (first, second) = (TaskID.sample(1001), TaskID.sample(1002))
        #expect(admission.pause(of: well, for: first) == nil)
        #expect(admission.pause(of: hung, for: first) == nil)
        #expect(admission.pause(of: hung, for: second) == Destination.probePause)
        // Its change may have to be stored again.
        #expect(admission.pause(of: hung, for: first) == nil)
        admission.advance(by: Destination.longestPause)
        #expect(admission.pause(of: hung, for: second) == nil)
        let probe = admission.enqueueNew(session: "a")
        #expect(judge(admission) { _ in hung }.map(\.verdict) == [.begins])
        admission.advance(by: Destination.longestPause)
        #expect(admission.pause(of: hung, for: first) == Destination.probePause)
        admission.advance(by: .milliseconds(500))
        admission.end(probe, .failure, session: "a")
        // Its second pause is twice the first, and those that wait for a probe do not make it longer.
        #expect(admission.pause(of: hung, for: first) == Destination.firstPause * 2)
        admission.advance(by: Destination.firstPause * 2)
        #expect(admission.pause(of: hung, for: first) == nil)
        // A retry without a token probes nothing.
        while admission.takeRetry(session: "a", to: hung) == nil {}
        #expect(admission.pause(of: hung, for: second) == nil)
        // No task of a paused session can probe.
        #expect(admission.set(.suspended, to: true, session: "a"))
        #expect(admission.pause(of: hung, for: first) == nil)
    }

    @Test("With as many destinations as are remembered, a known one keeps its state, and new ones replace idle ones")
    func remembered() {
        let now = ContinuousClock.now
        let limit = Admission.rememberedDestinations
        var rules = SessionRules.concurrent(4 * limit)
        rules.retryBudget = RetryConfiguration.Budget(ratio: 0, minPerSecond: 1)
        var admission = Admission(maxRunning: 4 * limit, window: 100, rules: ["a": rules], at: now)
        func key(_ number: Int) -> Key { Key(session: "a", origin: "http://\(number).example") }
        // Busy destinations do not count.
        let busy = (0..<10).map { TaskID.sample($0) }
        for (number, task) in busy.enumerated() {
            let hasSlot = admission.reserve(task, session: "a", at: now)
            let position = QueuePosition(priority: 5, readyAt: task.timestamp, id: task)
            let verdict = admission.begin(position, session: "a", to: key(-1 - number), at: now)
            #expect(hasSlot && verdict == .begins)
        }
        for number in 0..<limit { _ = admission.takeRetry(session: "a", to: key(number), at: now) }
        #expect(admission.destinations.count == limit + busy.count)
        // No room is needed for a destination that is known.
        for _ in 0..<100 { _ = admission.takeRetry(session: "a", to: key(0), at: now) }
        #expect(admission.destinations.count == limit + busy.count)
        // Of the idle ones those stay that were used last.
        let later = now.advanced(by: .milliseconds(1))
        _ = admission.takeRetry(session: "a", to: key(1), at: later)
        _ = admission.takeRetry(session: "a", to: key(limit), at: later)
        #expect(admission.destinations.count == limit + busy.count + 1 - limit / 8)
        #expect(admission.destinations[key(1)] != nil)
        for number in limit..<(3 * limit) { _ = admission.takeRetry(session: "a", to: key(number), at: later) }
        #expect(admission.destinations.count <= limit + busy.count)
        #expect(admission.busyDestinations == busy.count)
        for number in busy.indices { #expect(admission.destinations[key(-1 - number)]?.running.count == 1) }
        for task in busy { admission.release(task, session: "a", at: later) }
        #expect(admission.busyDestinations == 0)
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

    @Test("Sessions with endless tasks leave a slot for each other session")
    func fairShare() {
        let names = (0..<16).map { "s\($0)" }
        let admission = AdmissionSubject(
            maxRunning: 100, rules: Dictionary(uniqueKeysWithValues: (names + ["last"]).map { ($0, .concurrent(64)) }))
        for name in names { for _ in 0..<64 { _ = admission.enqueueNew(session: name) } }
        #expect(admission.start().tasks.count < 100)
        let task = admission.enqueueNew(session: "last")
        #expect(admission.start().tasks.map(\.id) == [task])
        // A single session may take all slots but one for each other session.
        let alone = AdmissionSubject(
            maxRunning: 100, window: 1000, rules: ["a": .concurrent(1000), "b": .concurrent(1)])
        for _ in 0..<200 { _ = alone.enqueueNew(session: "a") }
        #expect(alone.start().tasks.count == 99)
        #expect(alone.waitReason(session: "a") == .concurrency)
        #expect(alone.waitReason(session: "b") == nil)
    }

    @Test("No slot is reserved for a session that was removed from the configuration, until it is configured again")
    func removedSessions() {
        let limits = ["a": 1000, "b": 1, "c": 1]
        let admission = AdmissionSubject(maxRunning: 100, window: 1000, limits: limits)
        let running = admission.enqueueNew(session: "c")
        #expect(admission.start().tasks.map(\.id) == [running])
        // A reload withholds the sessions that it removes, before it configures the others.
        #expect(admission.set(.unconfigured, to: true, session: "b"))
        admission.configure(maxRunning: 100, window: 1000, limits: ["a": 1000])
        for _ in 0..<200 { _ = admission.enqueueNew(session: "a") }
        #expect(admission.start().tasks.count == 99)
        // A slot that becomes free when a removed session ends its last task is not reserved either.
        admission.release(running, session: "c")
        #expect(admission.start().tasks.count == 1)
        admission.configure(maxRunning: 102, window: 1000, limits: limits)
        #expect(admission.start().tasks.isEmpty)
        let next = admission.enqueueNew(session: "b")
        #expect(admission.start().tasks.map(\.id) == [next])
    }
}
