import HTTPTypes
import Support
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("Dispatcher: cancelling and deleting", .timeLimit(.minutes(1)))
struct DispatcherClientsTests {
    typealias Hold = ScriptedTransport.Hold

    /// Has updates to a state wait until the gate is opened.
    private final class Checkpoint: Sendable {
        /// An update to the state has come.
        let reached = Signal<Void>()
        /// It may go on.
        let opened = Signal<Void>()

        init(_ state: TaskState, of store: FlakyTaskStore) {
            store.intervene { [self] operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.state == state else { return }
                reached.send()
                await opened.wait()
            }
        }
    }

    private func state(_ answer: Dispatcher.CancelAnswer) -> TaskState? {
        switch answer {
        case .canceled(let record), .canceling(let record), .tooLate(let record): record.state
        case .notFound: nil
        }
    }

    @Test("A running task is canceled when its transfer has ended, and once more changes nothing")
    func running() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Hold())] + DispatcherFixture.answer }
        try await fixture.open {
            let task = try await fixture.create()
            guard case .canceled(let record) = try await fixture.dispatcher.cancel(task.id) else {
                Issue.record("not canceled")
                return
            }
            #expect(record.state == .canceled)
            #expect(record.revision == 3)
            #expect(record.result.error == TaskErrorDocument.canceled)
            guard case .canceled(let again) = try await fixture.dispatcher.cancel(task.id) else {
                Issue.record("not canceled again")
                return
            }
            #expect(again == record)
            #expect(try await fixture.stored(task) == record)
        }
    }

    @Test("Many cancels at once are one")
    func manyCancels() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Hold())] + DispatcherFixture.answer }
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

    @Test("A queued task is canceled at once, is never sent, and holds up nobody")
    func queued() async throws {
        let hold = Hold()
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(hold)] + DispatcherFixture.answer }
        try await fixture.open {
            let first = try await fixture.create("first")
            let second = try await fixture.create("second")
            let third = try await fixture.create("third")
            #expect(try await state(fixture.dispatcher.cancel(second.id)) == .canceled)
            hold.release()
            try await fixture.expect(.succeeded, of: first)
            try await fixture.expect(.succeeded, of: third)
            #expect(fixture.paths == ["/first", "/third"])
            #expect(try await fixture.stored(second)?.attemptCount == 0)
        }
    }

    @Test("A cancel while the start is being stored comes after it, and wins")
    func whileStarting() async throws {
        let hold = Hold()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            [.wait(request.url.string.hasSuffix("/first") ? hold : Hold())] + DispatcherFixture.answer
        }
        try await fixture.open {
            _ = try await fixture.create("first")
            let task = try await fixture.create("second")
            let start = Checkpoint(.running, of: fixture.store)
            hold.release()
            await start.reached.wait()
            async let answer = fixture.dispatcher.cancel(task.id)
            start.opened.send()
            #expect(try await state(answer) == .canceled)
            #expect(try await fixture.stored(task)?.state == .canceled)
            // The place is free again.
            let third = try await fixture.create("third")
            #expect(third.state == .running)
            _ = try await fixture.dispatcher.cancel(third.id)
        }
    }

    @Test("A cancel while the success is being stored is too late")
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

    @Test("A success that comes after the cancel is dropped with its content")
    func successAfterCancel() async throws {
        let hold = Hold()
        let content = [UInt8](repeating: UInt8(ascii: " "), count: 1000) + Array("{}".utf8)
        let fixture = try DispatcherFixture { _ in
            [
                .head(ResponseHead(status: 200, headers: [.contentType: "application/json"])), .wait(hold),
                .bytes(content),
            ]
        }
        let cancel = Checkpoint(.canceling, of: fixture.store)
        try await fixture.open {
            let task = try await fixture.create()
            async let answer = fixture.dispatcher.cancel(task.id)
            await cancel.reached.wait()
            hold.release()
            // The transfer is over: its place is free.
            while fixture.dispatcher.running(session: "up") > 0 { await Task.yield() }
            cancel.opened.send()
            #expect(try await state(answer) == .canceled)
            let stored = try await fixture.stored(task)
            #expect(stored?.state == .canceled)
            #expect(stored?.result.response == nil)
            #expect(stored?.result.body == nil)
        }
    }

    @Test("A cancel that cannot be stored is an error, and the task goes on")
    func unstoredCancel() async throws {
        let hold = Hold()
        let fixture = try DispatcherFixture { _ in [.wait(hold)] + DispatcherFixture.answer }
        try await fixture.open {
            let task = try await fixture.create()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .update = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            await #expect(throws: TaskStoreError.self) { try await fixture.dispatcher.cancel(task.id) }
            fixture.store.intervene(nil)
            hold.release()
            try await fixture.expect(.succeeded, of: task)
        }
    }

    @Test("What is done or unknown cannot be canceled")
    func tooLate() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.finished(task)
            #expect(try await state(fixture.dispatcher.cancel(task.id)) == .succeeded)
            #expect(try await state(fixture.dispatcher.cancel(.sample(1))) == nil)
        }
    }

    @Test("A deleted task takes its body file with it and wakes who waits for it")
    func delete() async throws {
        let content = [UInt8](repeating: UInt8(ascii: " "), count: 1000) + Array("{}".utf8)
        let fixture = try DispatcherFixture { _ in
            [.head(ResponseHead(status: 200, headers: [.contentType: "application/json"])), .bytes(content)]
        }
        try await fixture.open {
            let task = try #require(try await fixture.finished(fixture.create()))
            #expect(task.result.body?.location == .file)
            #expect(try fixture.folder.hasBody(task.id))
            async let change = fixture.dispatcher.wait(
                for: task, until: .changed(from: task.revision), timeout: .seconds(60))
            #expect(try await fixture.dispatcher.delete(task.id))
            #expect(try await change == nil)
            #expect(try !fixture.folder.hasBody(task.id))
            #expect(try await fixture.dispatcher.task(task.id) == nil)
            #expect(try await fixture.dispatcher.delete(task.id) == false)
        }
    }

    @Test("A running task that is deleted is canceled first")
    func deleteRunning() async throws {
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(Hold())] + DispatcherFixture.answer }
        try await fixture.open {
            let task = try await fixture.create()
            #expect(try await fixture.dispatcher.delete(task.id))
            #expect(try await fixture.stored(task) == nil)
            #expect(fixture.dispatcher.running(session: "up") == 0)
        }
    }
}
