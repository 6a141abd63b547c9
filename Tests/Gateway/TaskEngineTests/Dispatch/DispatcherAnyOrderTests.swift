import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import FoundationEssentials
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: events in random order", .timeLimit(.hang))
struct DispatcherAnyOrderTests {
    @Test(
        "Every task ends once, each attempt has its number, and no slot is lost",
        arguments: Soak.seeds(12, long: 200))
    func anyOrder(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let world = Upstream()
        let clock = ManualClock()
        let fixture = try DispatcherFixture(concurrent: 2, window: 16, clock: clock) { _ in world.script() }
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for _ in 0..<150 {
                let task = tasks.randomElement(using: &random)
                switch (Int.random(in: 0..<12, using: &random), task) {
                case (0..<3, _):
                    let priority = Int.random(in: 0...9, using: &random)
                    let isSuspended = Bool.random(using: &random)
                    tasks.append(
                        try await fixture.create("\(tasks.count)", priority: priority, suspended: isSuspended))
                case (3..<6, let task?): _ = try await fixture.dispatcher.suspend(task.id)
                case (6..<9, let task?): _ = try await fixture.dispatcher.resume(task.id)
                case (9, _): world.release()
                case (10, _): clock.advance(by: .seconds(60))
                case (_, let task?): if Bool.random(using: &random) { _ = try await fixture.dispatcher.cancel(task.id) }
                default: break
                }
                #expect(fixture.dispatcher.running(session: "up") <= 2)
            }
            world.releaseAll()
            for (number, task) in tasks.enumerated() {
                let finished = try #require(try await finish(task, fixture))
                #expect(finished.state == .succeeded || finished.state == .canceled)
                #expect(try attemptNumbers(of: finished) == (0..<finished.attemptCount).map { $0 + 1 })
                #expect(fixture.paths.filter { $0 == "/\(number)" }.count <= finished.attemptCount)
            }
            #expect(fixture.dispatcher.running(session: "up") == 0)
        }
    }

    /// Resumes a task until it has ended.
    private func finish(_ task: TaskRecord, _ fixture: DispatcherFixture) async throws -> TaskRecord? {
        while case .done(let record, _) = try await fixture.dispatcher.resume(task.id) {
            _ = try await fixture.context.wait(
                for: record, until: .changed(from: record.revision), timeout: .unlimited)
        }
        return try await fixture.finished(task)
    }

    private func attemptNumbers(of record: TaskRecord) throws -> [Int] {
        struct Attempt: Decodable { var number: Int }
        let attempts = [UInt8(ascii: "[")] + record.result.attempts + [UInt8(ascii: "]")]
        return try JSONDecoder().decode([Attempt].self, from: Data(attempts)).map(\.number)
    }
}

/// An upstream that responds when the test says so.
private final class Upstream: Sendable {
    private struct State {
        var gates: [ScriptedTransport.Gate] = []
        var isOpen = false
    }

    private let state = Mutex(State())

    func script() -> [ScriptedTransport.Step] {
        let gate = ScriptedTransport.Gate()
        let isOpen = state.withLock { state in
            state.gates.append(gate)
            return state.isOpen
        }
        return isOpen ? DispatcherFixture.response : [.wait(gate)] + DispatcherFixture.response
    }

    /// Responds to the oldest waiting request.
    func release() {
        state.withLock { $0.gates.isEmpty ? nil : $0.gates.removeFirst() }?.open()
    }

    /// Responds to all waiting requests and to later ones at once.
    func releaseAll() {
        let gates = state.withLock { state in
            state.isOpen = true
            return state.gates
        }
        for gate in gates { gate.open() }
    }
}
