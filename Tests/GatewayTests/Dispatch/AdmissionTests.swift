import Support
import TaskStore
import Testing

@testable import Gateway

@Suite("Admission")
struct AdmissionTests {
    private let ids = TaskIDGenerator()

    private func position(_ priority: Int = 5) -> QueuePosition {
        QueuePosition(priority: priority, id: ids.next())
    }

    @Test("A higher priority starts first, and the older task among equals")
    func order() {
        let admission = Subject(maxRunning: 10, window: 100, limits: ["a": 10])
        let low = position(1)
        let first = position(5)
        let second = position(5)
        let high = position(9)
        for entry in [second, low, high, first] { admission.enqueue(entry, session: "a") }
        #expect(admission.start().map(\.id) == [high, first, second, low].map(\.id))
    }

    @Test("No session has more tasks under way than it may have")
    func sessionLimit() {
        let admission = Subject(maxRunning: 10, window: 100, limits: ["a": 2])
        for _ in 0..<5 { admission.enqueue(position(), session: "a") }
        #expect(admission.start().count == 2)
        #expect(admission.start().isEmpty)
        admission.release(session: "a")
        #expect(admission.start().count == 1)
        #expect(admission.running(session: "a") == 2)
    }

    @Test("The gateway's places go round the sessions, so that a long queue holds up no other")
    func fairness() {
        let admission = Subject(maxRunning: 4, window: 100, limits: ["a": 10, "b": 10])
        for _ in 0..<10 { admission.enqueue(position(), session: "a") }
        for _ in 0..<2 { admission.enqueue(position(), session: "b") }
        let starts = admission.start()
        #expect(starts.count == 4)
        #expect(starts.filter { $0.session == "b" }.count == 2)
    }

    @Test("A place is reserved for a new task only when nobody waits before it")
    func reservation() {
        let admission = Subject(maxRunning: 2, window: 100, limits: ["a": 1, "b": 5])
        #expect(admission.reserve(session: "a"))
        #expect(!admission.reserve(session: "a"), "the session is full")
        #expect(admission.reserve(session: "b"))
        #expect(!admission.reserve(session: "b"), "the gateway is full")
        admission.enqueue(position(), session: "b")
        admission.release(session: "a")
        #expect(!admission.reserve(session: "b"), "another task waits before it")
    }

    @Test("A reserved place that is given back goes to the next in the queue")
    func returnedReservation() {
        let admission = Subject(maxRunning: 1, window: 100, limits: ["a": 1])
        #expect(admission.reserve(session: "a"))
        let waiting = position()
        admission.enqueue(waiting, session: "a")
        #expect(admission.start().isEmpty)
        admission.release(session: "a")
        #expect(admission.start().map(\.id) == [waiting.id])
    }

    @Test("Giving back a place that was not taken changes nothing")
    func needlessRelease() {
        let admission = Subject(maxRunning: 1, window: 100, limits: ["a": 1])
        admission.release(session: "a")
        admission.release(session: "unknown")
        #expect(admission.running == 0)
    }

    @Test("Tasks of a session that is not configured are never started")
    func unknownSession() {
        let admission = Subject(maxRunning: 1, window: 100, limits: ["a": 1])
        admission.enqueue(position(), session: "gone")
        #expect(!admission.reserve(session: "gone"))
        #expect(admission.start().isEmpty)
    }

    @Test("What is behind the window stays in the store and is asked for when the window runs low")
    func window() throws {
        let admission = Subject(maxRunning: 100, window: 16, limits: ["a": 100])
        let entries = (0..<40).map { _ in position() }
        for entry in entries { admission.enqueue(entry, session: "a") }
        #expect(admission.nextLoad() == nil, "the window is full")
        #expect(admission.start().map(\.id) == entries[..<16].map(\.id))
        let load = try #require(admission.nextLoad())
        #expect(load.session == "a")
        #expect(load.limit == 16)
        #expect(admission.nextLoad() == nil, "a load is asked for once")
        admission.didLoad(load, Array(entries[16..<32]))
        #expect(admission.start().map(\.id) == entries[16..<32].map(\.id))
        let next = try #require(admission.nextLoad())
        admission.didLoad(next, Array(entries[32...]))
        #expect(admission.start().map(\.id) == entries[32...].map(\.id))
        #expect(admission.nextLoad() == nil, "the store has no more")
    }

    @Test("A task that comes while the queue is being read is not lost")
    func arrivalWhileLoading() throws {
        let admission = Subject(maxRunning: 100, window: 16, limits: ["a": 100])
        admission.noteStored(session: "a")
        let load = try #require(admission.nextLoad())
        admission.enqueue(position(), session: "a")
        admission.didLoad(load, [])
        #expect(admission.nextLoad() != nil, "the reading may have missed it")
    }

    @Test("A queue that could not be read is asked for again")
    func failedLoad() throws {
        let admission = Subject(maxRunning: 100, window: 16, limits: ["a": 100])
        admission.noteStored(session: "a")
        let load = try #require(admission.nextLoad())
        admission.didLoad(load, nil)
        #expect(admission.nextLoad() == load)
    }

    @Test("A task that goes before what is being read, and was missed by the reading, is not lost behind it")
    func arrivalBeforeWhatIsRead() throws {
        let admission = Subject(maxRunning: 100, window: 16, limits: ["a": 100])
        admission.noteStored(session: "a")
        let load = try #require(admission.nextLoad())
        let read = (0..<8).map { _ in position() }
        let missed = position(9)
        admission.enqueue(missed, session: "a")
        admission.didLoad(load, read)
        #expect(admission.start().isEmpty, "what was read may come after what was missed")
        let again = try #require(admission.nextLoad())
        #expect(again.position == nil)
        admission.didLoad(again, [missed] + read)
        #expect(admission.start().map(\.id) == ([missed] + read).map(\.id))
    }

    @Test("A session that is held starts nothing, whatever places there are, and goes on where it was")
    func holds() {
        let admission = Subject(maxRunning: 10, window: 100, limits: ["a": 10, "b": 10])
        let waiting = position()
        admission.enqueue(waiting, session: "a")
        #expect(admission.set(.suspended, to: true, session: "a"))
        #expect(!admission.set(.suspended, to: true, session: "a"), "it was so already")
        #expect(!admission.reserve(session: "a"))
        #expect(admission.start().isEmpty)
        #expect(admission.reserve(session: "b"), "another session goes on")
        #expect(admission.set(.unreachable, to: true, session: "a"))
        #expect(admission.set(.suspended, to: false, session: "a"))
        #expect(admission.start().isEmpty, "one reason is left")
        #expect(admission.set(.unreachable, to: false, session: "a"))
        #expect(admission.start().map(\.id) == [waiting.id])
        #expect(!admission.set(.suspended, to: true, session: "gone"), "there is no such session")
    }

    @Test("A task that is withdrawn takes no turn and no place, and can be queued again, once")
    func withdrawal() {
        let admission = Subject(maxRunning: 10, window: 100, limits: ["a": 10])
        let (first, second) = (position(), position())
        for entry in [first, second] { admission.enqueue(entry, session: "a") }
        for _ in 0..<100 {
            admission.withdraw(first.id, session: "a")
            admission.enqueue(first, session: "a")
        }
        admission.withdraw(second.id, session: "a")
        #expect(admission.start().map(\.id) == [first.id])
        #expect(admission.running == 1)
        #expect(admission.reserve(session: "a"), "nobody waits")
    }

    @Test("What a queued task waits for is the operator, its upstream, or a place, in this order")
    func holdOfTask() {
        let admission = Subject(maxRunning: 2, window: 100, limits: ["a": 1, "b": 5])
        #expect(admission.hold(session: "a") == nil)
        _ = admission.reserve(session: "a")
        #expect(admission.hold(session: "a") == .concurrency)
        #expect(admission.hold(session: "b") == nil)
        _ = admission.reserve(session: "b")
        #expect(admission.hold(session: "b") == .concurrency, "the gateway is full")
        _ = admission.set(.unreachable, to: true, session: "a")
        #expect(admission.hold(session: "a") == .unreachable)
        _ = admission.set(.sweeping, to: true, session: "a")
        #expect(admission.hold(session: "a") == .sessionSuspended)
        _ = admission.set(.sweeping, to: false, session: "a")
        _ = admission.set(.suspended, to: true, session: "a")
        #expect(admission.hold(session: "a") == .sessionSuspended)
        #expect(admission.hold(session: "gone") == .sessionNotConfigured)
    }

    @Test("Higher limits make room at once, lower ones cut off nothing and let nothing more start")
    func otherLimits() {
        let admission = Subject(maxRunning: 2, window: 100, limits: ["a": 1])
        let positions = (0..<5).map { _ in position() }
        for entry in positions { admission.enqueue(entry, session: "a") }
        #expect(admission.start().map(\.id) == positions[..<1].map(\.id))
        admission.configure(maxRunning: 10, window: 100, limits: ["a": 4])
        #expect(admission.start().map(\.id) == positions[1..<4].map(\.id))
        admission.configure(maxRunning: 10, window: 100, limits: ["a": 2])
        for _ in 0..<2 { admission.release(session: "a") }
        #expect(admission.start().isEmpty)
        admission.release(session: "a")
        #expect(admission.start().map(\.id) == positions[4...].map(\.id))
        admission.configure(maxRunning: 1, window: 100, limits: ["a": 9])
        #expect(!admission.reserve(session: "a"), "the gateway is full")
    }

    @Test("A session that goes keeps its queue and gives its places back; when it is back it goes on where it was")
    func goneSession() {
        let admission = Subject(maxRunning: 3, window: 100, limits: ["a": 2, "b": 2])
        let positions = (0..<3).map { _ in position() }
        for entry in positions { admission.enqueue(entry, session: "a") }
        #expect(admission.start().count == 2)
        admission.configure(maxRunning: 3, window: 100, limits: ["b": 2])
        admission.release(session: "a")
        admission.release(session: "a")
        #expect(admission.running == 0)
        #expect(admission.start().isEmpty)
        #expect(admission.hold(session: "a") == .sessionNotConfigured)
        let late = position()
        admission.enqueue(late, session: "a")
        admission.configure(maxRunning: 3, window: 100, limits: ["a": 5, "b": 2])
        #expect(admission.start().map(\.id) == [positions[2].id, late.id])
        #expect(admission.hold(session: "a") == nil)
    }

    @Test("The queue of a new session is read from the store")
    func newSession() throws {
        let admission = Subject(maxRunning: 3, window: 100, limits: ["a": 2])
        let lost = position()
        admission.enqueue(lost, session: "new")
        admission.configure(maxRunning: 3, window: 100, limits: ["a": 2, "new": 1])
        #expect(!admission.reserve(session: "new"), "others may wait")
        let load = try #require(admission.nextLoad())
        #expect(load.session == "new")
        admission.didLoad(load, [lost])
        #expect(admission.start().map(\.id) == [lost.id])
    }

    @Test("A smaller window leaves the end of the queue to the store, and forgets nothing")
    func smallerWindow() throws {
        let admission = Subject(maxRunning: 100, window: 64, limits: ["a": 100])
        _ = admission.set(.suspended, to: true, session: "a")
        let positions = (0..<40).map { _ in position() }
        for entry in positions { admission.enqueue(entry, session: "a") }
        admission.configure(maxRunning: 100, window: 16, limits: ["a": 100])
        _ = admission.set(.suspended, to: false, session: "a")
        #expect(admission.start().map(\.id) == positions[..<16].map(\.id))
        let load = try #require(admission.nextLoad())
        admission.didLoad(load, Array(positions[16..<32]))
        #expect(admission.start().map(\.id) == positions[16..<32].map(\.id))
        #expect(admission.nextLoad() != nil, "there is more")
    }

    @Test("Whatever happens in whatever order, no place is lost and no limit exceeded", arguments: 0..<20)
    func randomOrder(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var model = AdmissionModel(maxRunning: 5, window: 16, limits: ["a": 3, "b": 2, "c": 4])
        for _ in 0..<2000 { model.step(&random) }
        model.drain()
    }
}

/// An admission that expectations can ask to change: they take no value that changes.
private final class Subject {
    private var admission: Admission

    init(maxRunning: Int, window: Int, limits: [String: Int]) {
        admission = Admission(maxRunning: maxRunning, window: window, limits: limits)
    }

    var running: Int { admission.running }

    func running(session: String) -> Int { admission.running(session: session) }

    func reserve(session: String) -> Bool { admission.reserve(session: session) }

    func release(session: String) { admission.release(session: session) }

    func enqueue(_ position: QueuePosition, session: String) { admission.enqueue(position, session: session) }

    func set(_ hold: Admission.Hold, to isOn: Bool, session: String) -> Bool {
        admission.set(hold, to: isOn, session: session)
    }

    func hold(session: String) -> TaskHold? { admission.hold(session: session) }

    func configure(maxRunning: Int, window: Int, limits: [String: Int]) {
        admission.configure(maxRunning: maxRunning, window: window, limits: limits)
    }

    func withdraw(_ id: TaskID, session: String) { admission.withdraw(id, session: session) }

    func noteStored(session: String) { admission.noteStored(session: session) }

    func start() -> [Admission.Start] { admission.start() }

    func nextLoad() -> Admission.Load? { admission.nextLoad() }

    func didLoad(_ load: Admission.Load, _ positions: [QueuePosition]?) { admission.didLoad(load, positions) }
}

/// Drives an admission at random beside the simplest store there can be, and checks its promises at each step.
private struct AdmissionModel {
    var admission: Admission
    let maxRunning: Int
    let limits: [String: Int]
    let ids = TaskIDGenerator()
    /// The tasks that the store calls queued.
    var stored: [String: [QueuePosition]] = [:]
    var running: [Admission.Start] = []
    var loads: [Admission.Load] = []
    /// What the store has answered, which has not arrived.
    var answers: [(load: Admission.Load, positions: [QueuePosition])] = []
    var held: Set<String> = []
    /// The sessions that are not configured at present.
    var gone: Set<String> = []
    /// The tasks that clients have suspended.
    var suspended: [(position: QueuePosition, session: String)] = []

    init(maxRunning: Int, window: Int, limits: [String: Int]) {
        admission = Admission(maxRunning: maxRunning, window: window, limits: limits)
        self.maxRunning = maxRunning
        self.limits = limits
    }

    mutating func step(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: create(&random)
        case 5..<8: finish(&random)
        case 8, 9: readLoad()
        case 10, 11: answerLoad()
        case 12: requeue(&random)
        case 13, 14: suspend(&random)
        case 15, 16: resume(&random)
        case 17: if let canceled = suspended.indices.randomElement(using: &random) { suspended.remove(at: canceled) }
        case 18: configure(&random)
        default: toggleHold(&random)
        }
        pump()
        check()
    }

    private mutating func create(_ random: inout SplitMix64) {
        guard let session = limits.keys.sorted().randomElement(using: &random) else { return }
        let position = QueuePosition(priority: Int.random(in: 0...9, using: &random), id: ids.next())
        if admission.reserve(session: session) {
            running.append(Admission.Start(id: position.id, session: session))
        } else {
            stored[session, default: []].append(position)
            admission.enqueue(position, session: session)
        }
    }

    private mutating func finish(_ random: inout SplitMix64) {
        guard let index = running.indices.randomElement(using: &random) else { return }
        admission.release(session: running.remove(at: index).session)
    }

    /// An attempt is lost, and its task waits again, with the age that it has.
    private mutating func requeue(_ random: inout SplitMix64) {
        guard let index = running.indices.randomElement(using: &random) else { return }
        let lost = running.remove(at: index)
        admission.release(session: lost.session)
        let position = QueuePosition(priority: Int.random(in: 0...9, using: &random), id: lost.id)
        stored[lost.session, default: []].append(position)
        admission.enqueue(position, session: lost.session)
    }

    private mutating func suspend(_ random: inout SplitMix64) {
        guard let session = limits.keys.sorted().randomElement(using: &random),
            let index = stored[session]?.indices.randomElement(using: &random),
            let position = stored[session]?.remove(at: index)
        else { return }
        admission.withdraw(position.id, session: session)
        suspended.append((position, session))
    }

    private mutating func resume(_ random: inout SplitMix64) {
        guard let index = suspended.indices.randomElement(using: &random) else { return }
        let (position, session) = suspended.remove(at: index)
        stored[session, default: []].append(position)
        admission.enqueue(position, session: session)
    }

    private mutating func toggleHold(_ random: inout SplitMix64) {
        guard let session = limits.keys.sorted().randomElement(using: &random) else { return }
        let isHeld = held.remove(session) == nil
        if isHeld { held.insert(session) }
        let isNews = admission.set(.suspended, to: isHeld, session: session)
        #expect(isNews)
    }

    /// Another window, and a session that goes or comes back.
    private mutating func configure(_ random: inout SplitMix64) {
        guard let session = limits.keys.sorted().randomElement(using: &random) else { return }
        if gone.remove(session) == nil { gone.insert(session) }
        admission.configure(
            maxRunning: maxRunning, window: Int.random(in: 16...200, using: &random),
            limits: limits.filter { !gone.contains($0.key) })
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

    private mutating func pump() {
        for start in admission.start() {
            #expect(!held.contains(start.session) && !gone.contains(start.session))
            let index = stored[start.session]?.firstIndex { $0.id == start.id }
            if let index {
                stored[start.session]?.remove(at: index)
                running.append(start)
            } else {
                // Started already: the life cycle refuses it, and the place goes back.
                admission.release(session: start.session)
            }
        }
        if let load = admission.nextLoad() { loads.append(load) }
    }

    private func check() {
        #expect(admission.running == running.count)
        #expect(running.count <= maxRunning)
        for (session, limit) in limits {
            #expect(running.filter { $0.session == session }.count <= limit)
        }
    }

    /// Finishes everything: each task must have its turn.
    mutating func drain() {
        for session in held { _ = admission.set(.suspended, to: false, session: session) }
        held = []
        gone = []
        admission.configure(maxRunning: maxRunning, window: 16, limits: limits)
        var rounds = 0
        while !running.isEmpty || stored.values.contains(where: { !$0.isEmpty }) {
            readLoad()
            answerLoad()
            if let first = running.popLast() { admission.release(session: first.session) }
            pump()
            check()
            rounds += 1
            guard rounds < 100_000 else {
                Issue.record("tasks were left behind: \(stored.mapValues(\.count))")
                return
            }
        }
        #expect(admission.running == 0)
    }
}
