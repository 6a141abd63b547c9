import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: retries, times and ordering keys in random order", .timeLimit(.hang))
struct DispatcherAnyOrderRetryTests {
    @Test(
        "Every task ends once, tasks of a key never overlap, and no slot is lost",
        arguments: Soak.seeds(8, long: 200))
    func anyOrder(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let luck = Mutex(SplitMix64(seed: seed + 1000))
        let time = ManualClock()
        let configuration = try {
            var configuration = try DispatcherFixture.configuration(concurrent: 3)
            configuration.retry.budget.minPerSecond = 1000
            return configuration
        }()
        let fixture = try DispatcherFixture(window: 16, time: time, configuration: configuration) { _ in
            let isWell = luck.withLock { Int.random(in: 0..<3, using: &$0) > 0 }
            return isWell ? DispatcherFixture.response : [.head(ResponseHead(status: 503)), .bytes([])]
        }
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for number in 0..<150 {
                let task = tasks.randomElement(using: &random)
                switch (Int.random(in: 0..<10, using: &random), task) {
                case (0..<4, _):
                    tasks.append(try await fixture.create("\(number)", members(fixture, &random)))
                case (4, let task?): _ = try await fixture.dispatcher.suspend(task.id)
                case (5, let task?): _ = try await fixture.dispatcher.resume(task.id)
                case (6, let task?): _ = try await fixture.dispatcher.runNow(task.id)
                case (7, let task?): _ = try await fixture.dispatcher.edit(task.id, edit(fixture, &random))
                case (8, let task?) where Bool.random(using: &random):
                    _ = try await fixture.dispatcher.cancel(task.id)
                default: time.advance(by: .milliseconds(Int.random(in: 0...2000, using: &random)))
                }
                #expect(fixture.dispatcher.running(session: "up") <= 3)
            }
            try await finish(tasks, fixture, time)
            // A slot is free after the end of its task was told; it has no event of its own.
            try await until { fixture.dispatcher.running(session: "up") == 0 }
            try await check(tasks, fixture)
        }
    }

    private func members(_ fixture: DispatcherFixture, _ random: inout SplitMix64) -> String {
        var members = ""
        if Bool.random(using: &random) {
            members += #","ordering_key":"\#(Int.random(in: 0..<3, using: &random))""#
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            members += #","delay":"\#(Int.random(in: 1...3000, using: &random))ms""#
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            members += #","deadline":"\#(fixture.now().adding(.seconds(4)))""#
        }
        return members
    }

    private func edit(_ fixture: DispatcherFixture, _ random: inout SplitMix64) -> TaskEdit {
        var edit = TaskEdit()
        edit.priority = Int.random(in: 0...9, using: &random)
        if Bool.random(using: &random) {
            edit.notBefore = .some(Bool.random(using: &random) ? fixture.now().adding(.seconds(1)) : nil)
        }
        return edit
    }

    /// Advances the time and resumes suspended tasks until all tasks have ended.
    ///
    /// A round takes microseconds and a write of the dispatcher may take long, so rounds are not counted: the time limit
    /// of the suite ends a test whose tasks do not end.
    private func finish(_ tasks: [TaskRecord], _ fixture: DispatcherFixture, _ time: ManualClock) async throws {
        var rest = tasks
        while !rest.isEmpty {
            try Task.checkCancellation()
            var unfinished: [TaskRecord] = []
            for task in rest {
                guard let record = try await fixture.context.task(task.id), !record.state.isTerminal else {
                    continue
                }
                // A suspended task may have the turn of its key, so that the other tasks of the key wait.
                if record.state == .suspended { _ = try await fixture.dispatcher.resume(task.id) }
                unfinished.append(record)
            }
            rest = unfinished
            time.advance(by: .milliseconds(100))
            // Reads from the file, on the connection that the dispatcher reads by: its turns come in between.
            _ = try await fixture.store.due(at: .earliest, after: nil, limit: 1)
        }
    }

    private func check(_ tasks: [TaskRecord], _ fixture: DispatcherFixture) async throws {
        let keys = Dictionary(uniqueKeysWithValues: tasks.map { ($0.id, $0.orderingKey) })
        var ends: [TaskID: Int] = [:]
        var turns: [String: TaskID] = [:]
        for event in try await fixture.store.events(after: 0, task: nil, limit: 100_000) {
            guard case .state(let state) = event.kind else { continue }
            if state.isTerminal { ends[event.task, default: 0] += 1 }
            guard let key = keys[event.task] ?? nil else { continue }
            switch state {
            case .running:
                #expect(turns[key] == nil || turns[key] == event.task, "two attempts of a key")
                turns[key] = event.task
            case .succeeded, .failed, .canceled, .scheduled:
                if turns[key] == event.task { turns[key] = nil }
            case .queued, .waiting, .suspended, .canceling:
                break
            }
        }
        for task in tasks { #expect(ends[task.id] == 1) }
    }
}
