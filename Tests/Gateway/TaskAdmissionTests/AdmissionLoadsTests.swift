import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskAdmission

@Suite("Admission: loads of many sessions")
struct AdmissionLoadsTests {
    @Test(
        "The same loads are requested as if each session were asked, whatever has happened",
        arguments: TestBuild.seeds(20))
    func likeAskingEach(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var driver = AdmissionLoadsDriver()
        for _ in 0..<2000 { driver.step(&random) }
        #expect(driver.requested > 100, "something has happened")
    }
}

/// A random driver of an admission with many sessions, which compares its loads with those of each queue.
private struct AdmissionLoadsDriver {
    private static let count = 40

    private let names = (0..<Self.count).map { "session \($0)" }
    private let rules: [String: SessionRules]
    private let ids = TaskIDGenerator()
    private let now = ContinuousClock.now
    private var admission: Admission
    private var queued: [Admission.Start] = []
    private var running: [Admission.Start] = []
    private var loads: [Admission.Load] = []
    /// The number of requested loads.
    private(set) var requested = 0

    init() {
        rules = Dictionary(uniqueKeysWithValues: names.map { ($0, SessionRules.concurrent(3)) })
        admission = Admission(maxRunning: 1000, window: 16 * Self.count, rules: rules, at: now)
    }

    mutating func step(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5: enqueue(&random)
        case 5: withdraw(&random)
        case 6, 7: if let name = names.randomElement(using: &random) { admission.noteStored(session: name) }
        case 8..<12: release(&random)
        case 12..<15: answerLoad(&random)
        default: configure(&random)
        }
        running += admission.start(at: now).tasks
        if Bool.random(using: &random) { checkLoads() }
    }

    private func position(_ random: inout SplitMix64) -> QueuePosition {
        let id = ids.next()
        return QueuePosition(priority: Int.random(in: 0...9, using: &random), readyAt: id.timestamp, id: id)
    }

    private mutating func enqueue(_ random: inout SplitMix64) {
        guard let name = names.randomElement(using: &random) else { return }
        for _ in 0..<Int.random(in: 1...24, using: &random) {
            let task = position(&random)
            admission.enqueue(task, session: name)
            queued.append(Admission.Start(id: task.id, session: name))
        }
    }

    private mutating func withdraw(_ random: inout SplitMix64) {
        for _ in 0..<16 {
            guard let index = queued.indices.randomElement(using: &random) else { return }
            let task = queued.remove(at: index)
            admission.withdraw(task.id, session: task.session)
        }
    }

    private mutating func release(_ random: inout SplitMix64) {
        for _ in 0..<8 {
            guard let index = running.indices.randomElement(using: &random) else { return }
            let ended = running.remove(at: index)
            admission.release(ended.id, session: ended.session, at: now)
        }
    }

    private mutating func answerLoad(_ random: inout SplitMix64) {
        guard let index = loads.indices.randomElement(using: &random) else { return }
        let load = loads.remove(at: index)
        guard Int.random(in: 0..<4, using: &random) > 0 else { return admission.didLoad(load, nil) }
        let count = Bool.random(using: &random) ? load.limit : Int.random(in: 0...load.limit, using: &random)
        var positions: [QueuePosition] = []
        for _ in 0..<count { positions.append(position(&random)) }
        admission.didLoad(load, positions.sorted())
    }

    private mutating func configure(_ random: inout SplitMix64) {
        let share = Int.random(in: 16...64, using: &random)
        // Some sessions are removed, or added again.
        let rules = rules.filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
        admission.configure(maxRunning: 1000, window: share * rules.count, rules: rules, at: now)
    }

    private mutating func checkLoads() {
        var expected: Set<Admission.Load> = []
        var copy = admission
        for index in copy.sessions.indices {
            guard let request = copy.sessions[index].queue.startLoad() else { continue }
            expected.insert(
                Admission.Load(
                    session: copy.sessions[index].name, position: request.position, limit: request.limit))
        }
        var actual: [Admission.Load] = []
        while let load = admission.nextLoad() { actual.append(load) }
        #expect(actual.count == expected.count)
        #expect(Set(actual) == expected)
        loads += actual
        requested += actual.count
    }
}
