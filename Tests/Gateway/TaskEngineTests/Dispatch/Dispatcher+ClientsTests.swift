import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: canceling and deleting", .timeLimit(.hang))
struct DispatcherClientsTests {
    typealias Gate = ScriptedTransport.Gate

    /// Delays updates to a state until the gate is opened.
    private final class Checkpoint: Sendable {
        /// Sent when an update to the state has arrived.
        let reached = Signal<Void>()
        /// Opens the gate.
        let opened = Signal<Void>()

        init(_ state: TaskState, of store: FlakyTaskStore) {
            store.intervene { [self] operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.state == state else { return }
                reached.send()
                await opened.wait()
            }
        }
    }

    private func state(_ outcome: TaskCommandOutcome) -> TaskState? {
        switch outcome {
        case .done(let record, _), .refused(let record), .preconditionFailed(let record), .invalid(let record, _):
            record.state
        case .notFound: nil
        }
    }

    @Test("A running task is canceled when its transfer has ended; a second cancel changes nothing")
    func running() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            guard case .done(let record, changed: true) = try await fixture.dispatcher.cancel(task.id) else {
                Issue.record("not canceled")
                return
            }
            #expect(record.state == .canceled)
            #expect(record.revision == 3)
            #expect(record.result.error == TaskErrorDocument.canceled)
            guard case .done(let again, changed: false) = try await fixture.dispatcher.cancel(task.id) else {
                Issue.record("not canceled again")
                return
            }
            #expect(again == record)
            #expect(try await fixture.stored(task) == record)
        }
    }

    @Test("Many concurrent cancels have the effect of one")
    func manyCancels() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            let states = try await withThrowingTaskGroup(of: TaskState?.self) { group in
                for _ in 0..<20 { group.addTask { try await state(fixture.dispatcher.cancel(task.id)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(states == Array(repeating: .canceled, count: 20))
            #expect(try await fixture.stored(task)?.revision == 3)
        }
    }

    @Test("Cancels whose clients have left before the ends are stored take effect, and do not keep others from running")
    func clientsLeave() async throws {
        // More than the pool has threads.
        let count = 16
        let fixture = try DispatcherFixture(concurrent: count) { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for _ in 0..<count { tasks.append(try await fixture.create()) }
            let (reached, opened) = (EventLog<Void>(), Signal<Void>())
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.state == .canceled else { return }
                reached.append()
                await opened.wait()
            }
            let cancels = tasks.map { task in Task { try await fixture.dispatcher.cancel(task.id) } }
            _ = await reached.first(count)
            for cancel in cancels { cancel.cancel() }
            for cancel in cancels { _ = await cancel.result }
            opened.send()
            for task in tasks { try await fixture.expect(.canceled, of: task) }
        }
    }

    @Test("A queued task is canceled at once, is never sent, and delays no other task")
    func queued() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let first = try await fixture.create("first")
            let second = try await fixture.create("second")
            let third = try await fixture.create("third")
            #expect(try await state(fixture.dispatcher.cancel(second.id)) == .canceled)
            gate.open()
            try await fixture.expect(.succeeded, of: first)
            try await fixture.expect(.succeeded, of: third)
            #expect(fixture.paths == ["/first", "/third"])
            #expect(try await fixture.stored(second)?.attemptCount == 0)
        }
    }

    @Test("A command on a task that was changed since it was read is applied to the task as it is")
    func outdated() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let first = try await fixture.create("first")
            let second = try await fixture.create("second")
            guard case .done(let suspended, _) = try await fixture.dispatcher.suspend(second) else {
                Issue.record("A queued task was not suspended")
                return
            }
            _ = try await fixture.dispatcher.resume(suspended)
            // As the caller knows it, the task is suspended already.
            guard case .done(let again, changed: true) = try await fixture.dispatcher.suspend(suspended) else {
                Issue.record("The command was applied to the outdated task")
                return
            }
            #expect(again.state == .suspended)
            #expect(again.revision == suspended.revision + 2)
            _ = try await fixture.dispatcher.resume(again)
            gate.open()
            try await fixture.expect(.succeeded, of: first)
            try await fixture.expect(.succeeded, of: second)
        }
    }

    @Test("A cancel that arrives while the start is being stored is applied after it and takes effect")
    func whileStarting() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            [.wait(request.url.string.hasSuffix("/first") ? gate : Gate())] + DispatcherFixture.response
        }
        try await fixture.open {
            _ = try await fixture.create("first")
            let task = try await fixture.create("second")
            let start = Checkpoint(.running, of: fixture.store)
            gate.open()
            await start.reached.wait()
            async let answer = fixture.dispatcher.cancel(task.id)
            start.opened.send()
            #expect(try await state(answer) == .canceled)
            #expect(try await fixture.stored(task)?.state == .canceled)
            // The slot is free again.
            let third = try await fixture.create("third")
            #expect(third.state == .running)
            _ = try await fixture.dispatcher.cancel(third.id)
        }
    }

    @Test("A cancel that arrives while the success is being stored is too late")
    func whileEnding() async throws {
        let fixture = try DispatcherFixture()
        let end = Checkpoint(.succeeded, of: fixture.store)
        try await fixture.open {
            let task = try await fixture.create()
            await end.reached.wait()
            async let answer = fixture.dispatcher.cancel(task.id)
            end.opened.send()
            #expect(try await state(answer) == .succeeded)
            #expect(try await fixture.stored(task)?.state == .succeeded)
        }
    }

    @Test("A success after the cancel is dropped with its content")
    func successAfterCancel() async throws {
        let gate = Gate()
        let content = [UInt8](repeating: UInt8(ascii: " "), count: 1000) + Array("{}".utf8)
        let fixture = try DispatcherFixture { _ in
            [
                .head(ResponseHead(status: 200, headers: [.contentType: "application/json"])), .wait(gate),
                .bytes(content),
            ]
        }
        let cancel = Checkpoint(.canceling, of: fixture.store)
        try await fixture.open {
            let task = try await fixture.create()
            async let answer = fixture.dispatcher.cancel(task.id)
            defer { cancel.opened.send() }
            await cancel.reached.wait()
            gate.open()
            // The transfer is over, so its slot is free. A slot has no event: its end is read, and no clock decides.
            try await until { fixture.dispatcher.running(session: "up") == 0 }
            cancel.opened.send()
            #expect(try await state(answer) == .canceled)
            let stored = try await fixture.stored(task)
            #expect(stored?.state == .canceled)
            #expect(stored?.result.response == nil)
            #expect(stored?.result.body == nil)
        }
    }

    @Test("A cancel that cannot be stored is an error, and the task continues")
    func unstoredCancel() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .update = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            await #expect(throws: TaskStoreError.self) { try await fixture.dispatcher.cancel(task.id) }
            fixture.store.intervene(nil)
            gate.open()
            try await fixture.expect(.succeeded, of: task)
        }
    }

    @Test("A finished or unknown task cannot be canceled")
    func tooLate() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.finished(task)
            guard case .refused(let record) = try await fixture.dispatcher.cancel(task.id) else {
                Issue.record("not refused")
                return
            }
            #expect(record.state == .succeeded)
            #expect(try await state(fixture.dispatcher.cancel(TaskID.sample(1))) == nil)
        }
    }

    @Test("Deleting a task removes its body file and wakes its watchers")
    func delete() async throws {
        let content = [UInt8](repeating: UInt8(ascii: " "), count: 1000) + Array("{}".utf8)
        let fixture = try DispatcherFixture { _ in
            [.head(ResponseHead(status: 200, headers: [.contentType: "application/json"])), .bytes(content)]
        }
        try await fixture.open {
            let task = try #require(try await fixture.finished(fixture.create()))
            #expect(task.result.body?.location == .file)
            #expect(try fixture.folder.hasBody(task.id))
            async let change = fixture.context.wait(
                for: task, until: .changed(from: task.revision), timeout: .unlimited)
            #expect(try await fixture.dispatcher.delete(task.id))
            #expect(try await change == nil)
            #expect(try !fixture.folder.hasBody(task.id))
            #expect(try await fixture.context.task(task.id) == nil)
            #expect(try await fixture.dispatcher.delete(task.id) == false)
        }
    }

    @Test("Deleting a running task cancels it first")
    func deleteRunning() async throws {
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            #expect(try await fixture.dispatcher.delete(task.id))
            #expect(try await fixture.stored(task) == nil)
            #expect(fixture.dispatcher.running(session: "up") == 0)
        }
    }

    @Test("Clients that delete running tasks and disconnect block nothing, and the tasks are removed")
    func deleteAndLeave() async throws {
        let (ends, begun) = (Signal<Void>(), EventLog<Void>())
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            // The ends of the canceled tasks are stored only long after the clients have left.
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.state == .canceled else { return }
                begun.append()
                await ends.wait()
            }
            var tasks: [TaskRecord] = []
            for number in 0..<8 { tasks.append(try await fixture.create("\(number)")) }
            let requests = tasks.map { task in
                Task { try await fixture.dispatcher.delete(task.id) }
            }
            _ = await begun.first(tasks.count)
            for request in requests { request.cancel() }
            // More waits than threads: each would be repeated forever if the wait returned at once.
            fixture.store.intervene(nil)
            let other = try await fixture.create("other")
            #expect(try await state(fixture.dispatcher.cancel(other.id)) == .canceled)
            ends.send()
            for request in requests { #expect(try await request.value) }
            for task in tasks { #expect(try await fixture.stored(task) == nil) }
        }
    }

    @Test("The wait of a disconnected client throws, so that a loop around it ends")
    func waitAndLeave() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let task = try await fixture.create()
            let waiting = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fixture.context.wait(for: task, until: .done, timeout: .unlimited)
            }
            await #expect(throws: TaskStoreError.canceled) { try await waiting.value }
            _ = try await fixture.dispatcher.cancel(task.id)
        }
    }
}
