import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("The invalidation of a session", .timeLimit(.hang))
struct SessionInvalidationTests {
    /// A retrier of a program that logs out after a 401: it closes its session.
    private struct Logout: RequestRetrier {
        let session = Signal<Session>()

        func retry(after attempt: FailedAttempt) async -> RetryResult {
            guard attempt.response?.status == 401 else { return .doNotRetry }
            await session.wait().invalidate(cancelingTasks: true)
            return .doNotRetry
        }
    }

    /// Returns the kinds of the events that tell of an end, in order, up to the last event.
    private func ends(of events: some AsyncSequence<SessionEvent, Never> & Sendable) async -> [String] {
        var ends: [String] = []
        for await event in events {
            switch event {
            case .task(_, .completed): ends.append("completed")
            case .invalidated: ends.append("invalidated")
            case .task, .reachability: continue
            }
        }
        return ends
    }

    /// Waits until a session accepts no more tasks.
    private func untilClosed(_ session: Session) async throws {
        try await until {
            let accepted = try? session.task(TaskRequest())
            accepted?.cancel()
            return accepted == nil
        }
    }

    @Test("that a retrier waits for cancels the request of the retrier too, and ends the session")
    func retrier() async throws {
        let logout = Logout()
        let session = try HookedSession(SessionHooks(retriers: [logout]), statuses: [401]).session
        logout.session.send(session)
        let events = session.events
        let error = await #expect(throws: SessionError.self) { try await session.data(for: TaskRequest()) }
        #expect(error?.code == .canceled)
        #expect(await ends(of: events) == ["completed", "invalidated"])
    }

    @Test("that a validator waits for cancels the attempt of the validator too, without a task")
    func validator() async throws {
        let closing = Signal<Session>()
        let validator = ResponseCheck { _ in await closing.wait().invalidate(cancelingTasks: true) }
        let session = try HookedSession(SessionHooks(validators: [validator])).session
        closing.send(session)
        let events = session.events
        let outcome = await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
        #expect(outcome.error?.code == .canceled)
        #expect(await ends(of: events) == ["completed", "invalidated"])
    }

    @Test("can be left by cancellation while a task is suspended, which ends the session later")
    func left() async throws {
        let session = try HookedSession(SessionHooks()).session
        let task = try session.task(TaskRequest())
        let wait = Task { await session.invalidate(cancelingTasks: false) }
        try await untilClosed(session)
        let events = session.events
        wait.cancel()
        await wait.value
        #expect(task.state == .suspended)
        #expect(throws: SessionError(.sessionClosed, "The session is closed")) { try session.task(TaskRequest()) }
        task.resume()
        #expect(await task.outcome.error == nil)
        #expect(await ends(of: events) == ["completed", "invalidated"])
    }

    @Test("by a caller that is canceled already ends a session without tasks at once")
    func canceledBefore() async throws {
        let session = try HookedSession(SessionHooks()).session
        let events = session.events
        let wait = Task {
            await untilCanceled()
            await session.invalidate(cancelingTasks: false)
        }
        wait.cancel()
        await wait.value
        #expect(await ends(of: events) == ["invalidated"])
    }

    @Test("comes after the end of an attempt without a task, of which the listeners are told before")
    func attempt() async throws {
        let gate = ScriptedTransport.Gate()
        let hooked = try HookedSession(SessionHooks(), over: ScriptedTransport([.wait(gate), .head(200)]))
        let session = hooked.session
        let prepared = try session.prepare(TaskRequest())
        let attempt = Task { await session.run(prepared, sink: MemorySink()) }
        _ = await hooked.transport.requests(1)
        let wait = Task { await session.invalidate(cancelingTasks: false) }
        try await untilClosed(session)
        let events = session.events
        gate.open()
        #expect(await attempt.value.error == nil)
        await wait.value
        #expect(await ends(of: events) == ["completed", "invalidated"])
    }
}
