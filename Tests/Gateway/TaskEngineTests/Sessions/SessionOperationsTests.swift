import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("SessionOperations", .timeLimit(.hang))
struct SessionOperationsTests {
    typealias Gate = ScriptedTransport.Gate

    private func operations(_ fixture: DispatcherFixture) -> SessionOperations {
        SessionOperations(context: fixture.context, dispatcher: fixture.dispatcher)
    }

    @Test("After a reset, running attempts keep the old session object, which ends with them; new ones use the new one")
    func reset() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture { request in
            request.url.string.hasSuffix("/old")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            let former = try #require(fixture.sessions["up"])
            let events = former.events
            let old = try await fixture.create("old")
            #expect(try await operations(fixture).invalidate("up", .init(resets: true)) == 0)
            let fresh = try #require(fixture.sessions["up"])
            #expect(fresh !== former)
            try await fixture.expect(.succeeded, of: fixture.create("new"))
            #expect(try await fixture.stored(old)?.state == .running)
            gate.open()
            try await fixture.expect(.succeeded, of: old)
            var wasInvalidated = false
            for await event in events {
                if case .invalidated = event { wasInvalidated = true }
            }
            #expect(wasInvalidated, "its events have ended, too")
        }
    }

    @Test("A session object without attempts ends at once when the session is reset")
    func resetIdle() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let events = try #require(fixture.sessions["up"]).events
            _ = try await operations(fixture).invalidate("up", .init(resets: true))
            for await _ in events {}
            try await fixture.expect(.succeeded, of: fixture.create())
        }
    }

    @Test("Operations of one session run serially, and the last one determines the state")
    func turns() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let operations = operations(fixture)
            let (reached, opened) = (Signal<Void>(), Signal<Void>())
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .setSessionControlState(let controlState) = operation, controlState.isSuspended else {
                    return
                }
                reached.send()
                await opened.wait()
            }
            async let suspended: Void = operations.suspend("up")
            await reached.wait()
            async let resumed: Void = operations.resume("up")
            opened.send()
            _ = try await (suspended, resumed)
            #expect(fixture.sessions.controlState(of: "up").isBlank)
            #expect(try await fixture.store.sessionControlStates().isEmpty)
            try await fixture.expect(.succeeded, of: fixture.create())
        }
    }

    @Test("An operation without effect is not stored again")
    func sameState() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let operations = operations(fixture)
            let controlStates = EventLog<SessionControlState>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .setSessionControlState(let controlState) = operation { controlStates.append(controlState) }
            }
            try await operations.resume("up")
            for _ in 0..<2 { try await operations.suspend("up") }
            for _ in 0..<2 { _ = try await operations.invalidate("up", .init()) }
            #expect(
                controlStates.events == [
                    SessionControlState(name: "up", isSuspended: true),
                    SessionControlState(name: "up", isSuspended: true, isClosed: true),
                ])
        }
    }

    @Test("A task that is being created while all tasks are canceled is canceled, too")
    func cancelWhileCreating() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.open {
            let (reached, opened) = (Signal<Void>(), Signal<Void>())
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .insert = operation else { return }
                reached.send()
                await opened.wait()
            }
            async let created = fixture.create()
            await reached.wait()
            // The session is closed when its control state is stored; the task is canceled after it was inserted.
            async let canceled = operations(fixture).invalidate("up", .init(cancelsTasks: true))
            defer { opened.send() }
            // The catalog of sessions has no event for it.
            try await until { fixture.sessions.controlState(of: "up").isClosed }
            opened.send()
            let task = try await created
            #expect(try await canceled == 1)
            try await fixture.expect(.canceled, of: task)
            await #expect(throws: DispatcherFixture.SessionClosed.self) { try await fixture.create() }
        }
    }

    @Test("A purge cancels all tasks but one that cannot be changed, as it is damaged, and returns their number")
    func purgeBesideDamagedTask() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            var creations: [Dispatcher.Creation] = []
            for _ in 0..<150 { creations.append(try await fixture.creation("", #","start":"suspended""#)) }
            for answer in await fixture.dispatcher.create(creations) { _ = try answer.get() }
            let oldest = creations[0].task.record.id
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.id == oldest else { return }
                throw TaskStoreError(.corrupt, "The task store is damaged")
            }
            #expect(try await operations(fixture).purge("up") == 149)
            #expect(try await fixture.store.pending(session: "up", after: nil, limit: 10) == [oldest])
        }
    }

    @Test("A running task whose end cannot be stored does not keep waiting ones from being canceled, and is told")
    func cancelBesideUnstoredEnd() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            let running = try await fixture.create("running")
            let waiting = try await fixture.create("waiting", suspended: true)
            let full = TaskStoreError(.diskFull, "Full")
            let failures = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.id == running.id else { return }
                failures.append()
                throw full
            }
            gate.open()
            // It is being stored again.
            _ = await failures.first(2)
            await #expect(throws: full) {
                try await operations(fixture).invalidate("up", .init(cancelsTasks: true))
            }
            #expect(try await fixture.stored(waiting)?.state == .canceled)
            fixture.store.intervene(nil)
            try await fixture.expect(.succeeded, of: running)
        }
    }

    @Test("A purge that fails in the store is an error, and the session continues")
    func purgeFails() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create(suspended: true)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .update = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            await #expect(throws: TaskStoreError.self) { try await operations(fixture).purge("up") }
            fixture.store.intervene(nil)
            #expect(try await fixture.stored(task)?.state == .suspended)
            try await fixture.expect(.succeeded, of: fixture.create())
        }
    }
}
