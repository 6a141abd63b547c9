import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskAdmission

/// A random driver of an admission beside a minimal model of the store, which checks the invariants at each step.
struct AdmissionModel {
    private struct Running {
        var start: Admission.Start
        /// True if the outcome of the attempt concludes a probe.
        var isProbe: Bool
    }

    private var admission: Admission
    private let maxRunning = 5
    private let rules: [String: SessionRules] = [
        "plain": .concurrent(3),
        "rated": .rate(20, per: .seconds(1), burst: 4, concurrent: 3),
        "breaking": SessionRules(
            limits: SessionLimits(concurrent: 4),
            circuitBreaker: CircuitBreakerConfiguration(
                failures: 3, window: .seconds(1), open: .milliseconds(500))),
    ]
    private let ids = TaskIDGenerator()
    private let start = ContinuousClock.now
    private var now: ContinuousClock.Instant
    /// The tasks queued in the store.
    private var stored: [String: [QueuePosition]] = [:]
    private var running: [Running] = []
    private var loads: [Admission.Load] = []
    /// The results of the store that have not yet been delivered.
    private var answers: [(load: Admission.Load, positions: [QueuePosition])] = []
    private var held: Set<String> = []
    /// The sessions that are currently not configured.
    private var gone: Set<String> = []
    /// The tasks suspended by clients.
    private var suspended: [(position: QueuePosition, session: String)] = []
    /// The start times of attempts of the session with a rate.
    private var rated: [ContinuousClock.Instant] = []
    private var wakeAt: ContinuousClock.Instant?
    /// The number of started attempts.
    private(set) var begun = 0

    init() {
        now = start
        admission = Admission(maxRunning: maxRunning, window: 16, rules: rules, at: start)
    }

    private var sessions: [String] { rules.keys.sorted() }

    private func position(_ id: TaskID, _ random: inout SplitMix64) -> QueuePosition {
        QueuePosition(priority: Int.random(in: 0...9, using: &random), readyAt: id.timestamp, id: id)
    }

    // MARK: Steps

    mutating func step(_ random: inout SplitMix64) {
        now = now.advanced(by: .milliseconds(Int64.random(in: 0...40, using: &random)))
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<6: create(&random)
        case 6..<10: finish(&random)
        case 10, 11: readLoad()
        case 12, 13: answerLoad()
        case 14: requeue(&random)
        case 15, 16: suspend(&random)
        case 17, 18: resume(&random)
        case 19: if let canceled = suspended.indices.randomElement(using: &random) { suspended.remove(at: canceled) }
        case 20: configure(&random)
        case 21: move(&random)
        case 22: stayQuiet(&random)
        default: togglePause(&random)
        }
        startReadyTasks()
        check()
    }

    private mutating func create(_ random: inout SplitMix64) {
        guard let session = sessions.randomElement(using: &random) else { return }
        let task = position(ids.next(), &random)
        let circuit = admission.conditions(session: session, at: now)?.circuit
        if admission.reserve(task.id, session: session, at: now) {
            begin(Admission.Start(id: task.id, session: session), circuit)
        } else {
            store(task, session)
        }
    }

    private mutating func store(_ position: QueuePosition, _ session: String) {
        stored[session, default: []].append(position)
        admission.enqueue(position, session: session)
    }

    private mutating func finish(_ random: inout SplitMix64) {
        guard let index = running.indices.randomElement(using: &random) else { return }
        let ended = running.remove(at: index).start
        if let outcome = CircuitBreaker.Outcome.allCases.randomElement(using: &random), outcome != .neutral {
            admission.note(outcome, of: ended.id, session: ended.session, at: now)
        }
        admission.release(ended.id, session: ended.session, at: now)
    }

    /// Ends an attempt as lost and queues its task again, with its age.
    private mutating func requeue(_ random: inout SplitMix64) {
        guard let index = running.indices.randomElement(using: &random) else { return }
        let lost = running.remove(at: index).start
        admission.release(lost.id, session: lost.session, at: now)
        store(position(lost.id, &random), lost.session)
    }

    private mutating func suspend(_ random: inout SplitMix64) {
        guard let (session, index) = anyStored(&random), let task = stored[session]?.remove(at: index) else { return }
        admission.withdraw(task.id, session: session)
        suspended.append((task, session))
    }

    private mutating func resume(_ random: inout SplitMix64) {
        guard let index = suspended.indices.randomElement(using: &random) else { return }
        let (task, session) = suspended.remove(at: index)
        store(task, session)
    }

    /// Changes the priority of a task, like a client.
    private mutating func move(_ random: inout SplitMix64) {
        guard let (session, index) = anyStored(&random), let task = stored[session]?.remove(at: index) else { return }
        store(position(task.id, &random), session)
    }

    private func anyStored(_ random: inout SplitMix64) -> (session: String, index: Int)? {
        guard let session = sessions.randomElement(using: &random),
            let index = stored[session]?.indices.randomElement(using: &random)
        else { return nil }
        return (session, index)
    }

    private mutating func stayQuiet(_ random: inout SplitMix64) {
        let end = now.advanced(by: .milliseconds(Int64.random(in: -50...200, using: &random)))
        admission.stayQuiet(session: "plain", until: end)
    }

    private mutating func togglePause(_ random: inout SplitMix64) {
        guard let session = sessions.randomElement(using: &random) else { return }
        let isPaused = held.remove(session) == nil
        if isPaused { held.insert(session) }
        let isNews = admission.set(.suspended, to: isPaused, session: session)
        #expect(isNews)
    }

    /// Changes the window, and removes or adds a session.
    private mutating func configure(_ random: inout SplitMix64) {
        guard let session = sessions.randomElement(using: &random) else { return }
        if gone.remove(session) == nil { gone.insert(session) }
        admission.configure(
            maxRunning: maxRunning, window: Int.random(in: 16...200, using: &random),
            rules: rules.filter { !gone.contains($0.key) }, at: now)
    }

    private mutating func answerLoad() {
        guard let answer = answers.popLast() else { return }
        admission.didLoad(answer.load, answer.positions)
    }

    private mutating func readLoad() {
        guard let load = loads.popLast() else { return }
        let queue = (stored[load.session] ?? []).sorted()
        let after = load.position.map { position in queue.filter { $0 > position } } ?? queue
        answers.append((load, Array(after.prefix(load.limit))))
    }

    // MARK: Promises

    private mutating func startReadyTasks() {
        let conditions = sessions.map { ($0, admission.conditions(session: $0, at: now)) }
        let before = Dictionary(uniqueKeysWithValues: conditions)
        let starts = admission.start(at: now)
        wakeAt = starts.wakeAt
        if let wakeAt { #expect(wakeAt > now, "it would be asked again at once") }
        for start in starts.tasks {
            #expect(!held.contains(start.session) && !gone.contains(start.session))
            #expect(before[start.session]??.quietUntil == nil, "the upstream wants to be left alone")
            if let index = stored[start.session]?.firstIndex(where: { $0.id == start.id }) {
                stored[start.session]?.remove(at: index)
                begin(start, before[start.session]??.circuit)
            } else {
                // Already started: the life cycle refuses it, and its slot is released.
                admission.release(start.id, session: start.session, hasBegun: false, at: now)
            }
        }
        if let load = admission.nextLoad() { loads.append(load) }
    }

    private mutating func begin(_ start: Admission.Start, _ circuit: CircuitBreaker.State?) {
        let isProbe = circuit == .halfOpen
        switch circuit {
        case .closed: break
        case .halfOpen: #expect(!running.contains { $0.isProbe && $0.start.session == start.session }, "one at a time")
        case .open, nil: Issue.record("an attempt of \(start.session) began while the circuit was open")
        }
        running.append(Running(start: start, isProbe: isProbe))
        begun += 1
        if start.session == "rated" {
            rated = rated.suffix(200) + [now]
            checkRate()
        }
    }

    /// Checks that no period has more starts than the burst and the rate allow.
    private func checkRate() {
        for (index, first) in rated.enumerated() {
            let count = Double(rated.count - index)
            #expect(count <= 4 + first.duration(to: now) / .seconds(1) * 20 + 0.000_001)
        }
    }

    private func check() {
        #expect(admission.running == running.count)
        #expect(running.count <= maxRunning)
        for (session, rules) in rules {
            let count = running.count { $0.start.session == session }
            #expect(admission.running(session: session) == count)
            #expect(count <= rules.limits.concurrent)
        }
    }

    /// Finishes all tasks, advancing time only as reported: each task must get its turn.
    mutating func drain() {
        for session in held { _ = admission.set(.suspended, to: false, session: session) }
        held = []
        gone = []
        admission.configure(maxRunning: maxRunning, window: 16, rules: rules, at: now)
        startReadyTasks()
        while !running.isEmpty || stored.values.contains(where: { !$0.isEmpty }) {
            readLoad()
            answerLoad()
            if let last = running.popLast()?.start {
                admission.note(.success, of: last.id, session: last.session, at: now)
                admission.release(last.id, session: last.session, at: now)
            } else if loads.isEmpty, answers.isEmpty {
                guard let wakeAt else {
                    Issue.record("tasks were left behind: \(stored.mapValues(\.count))")
                    return
                }
                now = wakeAt
            }
            startReadyTasks()
            check()
        }
        #expect(admission.running == 0)
    }
}
