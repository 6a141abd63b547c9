import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("DueTimer", .timeLimit(.hang))
struct DueTimerTests {
    private let time = ManualClock()

    private func error(of record: TaskRecord?) -> String {
        String(decoding: record?.result.error ?? [], as: UTF8.self)
    }

    @Test("A scheduled task runs when its time comes, and not before")
    func scheduled() async throws {
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let task = try await fixture.create("later", #","delay":"10s""#)
            #expect(task.state == .scheduled)
            let earlier = try await fixture.create("earlier", #","delay":"9999ms""#)
            await time.sleepers(2)
            time.advance(by: .milliseconds(9999))
            // Its end shows that the alarm has handled the tasks that are due.
            try await fixture.expect(.succeeded, of: earlier)
            await time.sleepers(2)
            #expect(try await fixture.stored(task)?.state == .scheduled)
            time.advance(by: .milliseconds(1))
            try await fixture.expect(.succeeded, of: task)
            #expect(try await fixture.stored(task)?.startedAt == DispatcherFixture.start.adding(.seconds(10)))
        }
    }

    @Test("Tasks that became due while the gateway was down run when it is up; other tasks keep waiting")
    func downtime() async throws {
        let before = try DispatcherFixture(time: time)
        var tasks: [TaskRecord] = []
        try await before.open {
            for delay in [5, 10, 3000] { tasks.append(try await before.create("\(delay)", #","delay":"\#(delay)s""#)) }
        }
        time.advance(by: .seconds(60))
        let fixture = try DispatcherFixture(folder: before.folder, time: time)
        try await fixture.open {
            try await fixture.expect(.succeeded, of: tasks[0])
            try await fixture.expect(.succeeded, of: tasks[1])
            #expect(try await fixture.stored(tasks[2])?.state == .scheduled)
        }
    }

    @Test("run-now starts a scheduled task at once")
    func runNow() async throws {
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let task = try await fixture.create("later", #","delay":"10h""#)
            guard case .done = try await fixture.dispatcher.runNow(task.id) else {
                Issue.record("refused")
                return
            }
            try await fixture.expect(.succeeded, of: task)
        }
    }

    @Test("run-now moves a queued task to the front")
    func runNowQueued() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            request.url.string.hasSuffix("/first")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            var tasks = [try await fixture.create("first")]
            for (path, priority) in [("a", 9), ("b", 5), ("c", 0)] {
                tasks.append(try await fixture.create(path, priority: priority))
            }
            _ = try await fixture.dispatcher.runNow(tasks[3].id)
            gate.open()
            for task in tasks { try await fixture.expect(.succeeded, of: task) }
            #expect(fixture.paths == ["/first", "/c", "/a", "/b"])
        }
    }

    @Test("A changed priority changes the order of the queue")
    func priority() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            request.url.string.hasSuffix("/first")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            var tasks = [try await fixture.create("first")]
            for path in ["a", "b", "c"] { tasks.append(try await fixture.create(path)) }
            var edit = TaskEdit()
            edit.priority = 6
            guard case .done(let edited, _) = try await fixture.dispatcher.edit(tasks[2].id, edit) else {
                Issue.record("refused")
                return
            }
            #expect(edited.priority == 6)
            edit.priority = 4
            _ = try await fixture.dispatcher.edit(tasks[1].id, edit)
            gate.open()
            for task in tasks { try await fixture.expect(.succeeded, of: task) }
            #expect(fixture.paths == ["/first", "/b", "/c", "/a"])
        }
    }

    @Test("An edit reports an unmet precondition, a finished task and a missing task")
    func editAnswers() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create(suspended: true)
            var edit = TaskEdit()
            edit.labels = ["a": "1"]
            guard
                case .preconditionFailed(let current) = try await fixture.dispatcher.edit(
                    task.id, edit, ifRevision: { $0.revision == 7 })
            else { throw Unexpected() }
            #expect(current.revision == 1)
            guard case .done = try await fixture.dispatcher.edit(task.id, edit, ifRevision: { $0.revision == 1 })
            else { throw Unexpected() }
            #expect(try await fixture.stored(task)?.labels == ["a": "1"])
            _ = try await fixture.dispatcher.cancel(task.id)
            guard case .refused = try await fixture.dispatcher.edit(task.id, edit) else { throw Unexpected() }
            _ = try await fixture.dispatcher.delete(task.id)
            guard case .notFound = try await fixture.dispatcher.edit(task.id, edit) else { throw Unexpected() }
        }
    }

    private struct Unexpected: Error {}

    // MARK: Tasks that fail

    @Test("A task whose step fails delays no other whose time has come, and is handled again after a pause")
    func stuckTask() async throws {
        let fixture = try DispatcherFixture(time: time)
        let deadline = fixture.now().adding(.seconds(10))
        let stuck = try await fixture.create("stuck", #","deadline":"\#(deadline)","start":"suspended""#)
        let other = try await fixture.create("other", #","delay":"10s""#)
        time.advance(by: .seconds(60))
        let steps = StuckSteps(stuck: [stuck.id])
        let timer = DueTimer(fixture.context)
        timer.start(steps)
        let first = await steps.deliveries.first(2)
        #expect(
            Set(first) == [
                StuckSteps.Delivery(isDeadline: true, tasks: [stuck.id]),
                StuckSteps.Delivery(isDeadline: false, tasks: [other.id]),
            ])
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        let last = await steps.deliveries.first(3).last
        #expect(last == StuckSteps.Delivery(isDeadline: true, tasks: [stuck.id]))
        await timer.stop()
        await fixture.store.close()
    }

    @Test("A full page of tasks whose steps fail hides no later ones")
    func stuckPage() async throws {
        let fixture = try DispatcherFixture(time: time)
        let tasks = (1...501).map { number in
            var record = TaskRecord.sample(number, session: "up", state: .suspended)
            record.change { $0.deadline = DispatcherFixture.start.adding(.seconds(number)) }
            return record
        }
        for insertion in await fixture.store.insert(tasks.map { NewTask($0) }) { _ = try insertion.get() }
        time.advance(by: .seconds(1000))
        let steps = StuckSteps(stuck: Set(tasks.prefix(500).map(\.id)))
        let timer = DueTimer(fixture.context)
        timer.start(steps)
        let pages = await steps.deliveries.first(2)
        #expect(pages.map(\.tasks) == [tasks.prefix(500).map(\.id), tasks.suffix(1).map(\.id)])
        await timer.stop()
        await fixture.store.close()
    }

    // MARK: Deadlines

    @Test("A page of due tasks whose changes are not stored delays no deadline, and the next page follows it")
    func deadlineDuringPage() async throws {
        let fixture = try DispatcherFixture(time: time)
        let due = (1...501).map { number in
            var record = TaskRecord.sample(number, session: "up", state: .scheduled)
            record.change { $0.notBefore = DispatcherFixture.start.adding(.seconds(1)) }
            return record
        }
        var late = TaskRecord.sample(600, session: "up", state: .suspended)
        late.change { $0.deadline = DispatcherFixture.start.adding(.seconds(60)) }
        for insertion in await fixture.store.insert((due + [late]).map { NewTask($0) }) { _ = try insertion.get() }
        time.advance(by: .seconds(10))
        let goesOn = Signal<Void>()
        let steps = StuckSteps { delivery in
            if !delivery.isDeadline { await goesOn.wait() }
        }
        let timer = DueTimer(fixture.context)
        timer.start(steps)
        #expect(await steps.deliveries.first(1).map(\.tasks) == [due.prefix(500).map(\.id)])
        await time.sleepers(1)
        time.advance(by: .seconds(50))
        let second = await steps.deliveries.first(2).last
        #expect(second == StuckSteps.Delivery(isDeadline: true, tasks: [late.id]))
        goesOn.send()
        let third = await steps.deliveries.first(3).last
        #expect(third == StuckSteps.Delivery(isDeadline: false, tasks: [due[500].id]))
        await timer.stop()
        await fixture.store.close()
    }

    @Test(
        "A waiting task fails when its deadline passes, and is never sent",
        arguments: ["", #","start":"suspended""#])
    func deadline(members: String) async throws {
        let fixture = try DispatcherFixture(concurrent: 1, time: time) { _ in
            [.wait(.init())] + DispatcherFixture.response
        }
        try await fixture.open {
            let first = try await fixture.create("first")
            let deadline = fixture.now().adding(.seconds(10))
            let task = try await fixture.create("late", members + #","deadline":"\#(deadline)""#)
            await time.sleepers(2)
            time.advance(by: .seconds(10))
            let failed = try await fixture.finished(task)
            #expect(failed?.state == .failed)
            #expect(error(of: failed).contains(#""code":"deadline_exceeded""#))
            #expect(failed?.attemptCount == 0)
            _ = try await fixture.dispatcher.cancel(first.id)
            #expect(fixture.paths == ["/first"])
        }
    }

    @Test("At its deadline a running task's connection is closed, and it is not retried", arguments: [false, true])
    func deadlineWhileRunning(isSuspended: Bool) async throws {
        let fixture = try DispatcherFixture(time: time) { _ in [.wait(.init())] + DispatcherFixture.response }
        try await fixture.open {
            let deadline = fixture.now().adding(.seconds(10))
            let task = try await fixture.create("endless", #","deadline":"\#(deadline)""#)
            _ = await fixture.transport.requests(1)
            if isSuspended { try await fixture.suspend(task) }
            await time.sleepers(2)
            time.advance(by: .seconds(10))
            let failed = try await fixture.finished(task)
            #expect(failed?.state == .failed)
            #expect(error(of: failed).contains(#""code":"deadline_exceeded""#))
            #expect(failed?.attemptCount == 1)
            #expect(fixture.dispatcher.running(session: "up") == 0)
        }
    }

    @Test("While the gateway stops, deadlines of running tasks are enforced, and tasks whose time comes are left")
    func deadlineDuringDrain() async throws {
        let fixture = try DispatcherFixture(time: time) { _ in [.wait(.init())] + DispatcherFixture.response }
        try await fixture.open {
            let later = try await fixture.create("later", #","delay":"5s""#)
            let deadline = fixture.now().adding(.seconds(10))
            let task = try await fixture.create("endless", #","deadline":"\#(deadline)""#)
            _ = await fixture.transport.requests(1)
            // The sweeper, and an alarm for each of the tasks.
            await time.sleepers(3)
            let draining = Task { await fixture.dispatcher.drain(patience: .seconds(3600)) }
            while true {
                let late = try await fixture.creation("late", #","start":"suspended""#)
                let outcome = try await fixture.dispatcher.create(late)
                if case .refused(.stopping) = outcome { break }
            }
            time.advance(by: .seconds(10))
            let failed = try await fixture.finished(task)
            #expect(failed?.state == .failed)
            #expect(error(of: failed).contains(#""code":"deadline_exceeded""#))
            await draining.value
            #expect(try await fixture.stored(later)?.state == .scheduled)
            #expect(fixture.paths == ["/endless"])
        }
    }

    @Test("A deadline that passed while the gateway was down is enforced at the start")
    func deadlineWhileDown() async throws {
        let before = try DispatcherFixture(time: time)
        let task = try await before.create("late", #","deadline":"\#(before.now().adding(.seconds(10)))""#)
        await before.store.close()
        time.advance(by: .seconds(60))
        let fixture = try DispatcherFixture(folder: before.folder, time: time)
        try await fixture.open {
            try await fixture.expect(.failed, of: task)
            #expect(fixture.paths.isEmpty)
        }
    }
}
