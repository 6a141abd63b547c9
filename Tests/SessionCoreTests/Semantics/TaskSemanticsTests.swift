import Authentication
import HTTPTypes
import SessionCore
import Support
import Testing
import Transfer

/// The life of a task: the states of a URLSession task, each change told once, the result before the event of the end.
@Suite("Rules of tasks", .timeLimit(.minutes(1)))
struct TaskSemanticsTests {
    /// What the owner of a task may ask of it.
    enum Call: String, Sendable {
        case resume, suspend, cancel

        func apply(to task: SessionTask) {
            switch self {
            case .resume: task.resume()
            case .suspend: task.suspend()
            case .cancel: task.cancel()
            }
        }
    }

    @Test(
        "AFNetworking: the states, and a change told once",
        arguments: [
            ("made suspended", [], .suspended, []),
            ("suspended, it cannot be suspended", [.suspend], .suspended, []),
            ("begun", [.resume], .running, ["resumed"]),
            ("running, it cannot be resumed", [.resume, .resume], .running, ["resumed"]),
            ("held", [.resume, .suspend], .suspended, ["resumed", "suspended"]),
            ("held twice is held once", [.resume, .suspend, .suspend], .suspended, ["resumed", "suspended"]),
            ("let go", [.resume, .suspend, .resume], .running, ["resumed", "suspended", "resumed"]),
            ("cancelled while it runs", [.resume, .cancel], .canceling, ["resumed"]),
            ("cancelled while it is held", [.resume, .suspend, .cancel], .canceling, ["resumed", "suspended"]),
            ("cancelled, it cannot be resumed", [.resume, .cancel, .resume], .canceling, ["resumed"]),
            ("cancelled, it cannot be suspended", [.resume, .cancel, .suspend], .canceling, ["resumed"]),
            ("cancelled twice is cancelled once", [.resume, .cancel, .cancel], .canceling, ["resumed"]),
            ("cancelled before it has begun, it is over", [.cancel], .completed, []),
            ("over, it cannot be resumed", [.cancel, .resume], .completed, []),
        ] as [(String, [Call], SessionTask.State, [String])])
    func states(rule: String, calls: [Call], state: SessionTask.State, events: [String]) async throws {
        // The transfer stands still, and what is cancelled has not ended before its sink is done.
        let sink = LingeringSink()
        let session = try Example().session(over: ScriptedTransport([.wait(.init()), .head(200)]))
        let task = try session.task(TaskRequest()) { sink }
        let told = task.events
        for call in calls { call.apply(to: task) }
        #expect(task.state == state, "\(rule)")
        task.cancel()
        sink.mayEnd.send()
        #expect(await task.outcome.error == .canceled)
        #expect(task.state == .completed)
        let words = await told.compactMap(\.word).reduce(into: []) { $0.append($1) }
        #expect(words == events + ["completed"], "\(rule)")
    }

    @Test(
        "a task that is over stays over",
        arguments: [[.resume], [.suspend], [.cancel], [.suspend, .resume, .cancel]]
            as [[Call]])
    func over(calls: [Call]) async throws {
        let transport = ScriptedTransport([.head(204)])
        let session = try Example().session(over: transport)
        let task = try session.task(TaskRequest())
        task.resume()
        #expect(await task.outcome.error == nil)
        for call in calls { call.apply(to: task) }
        #expect(task.state == .completed)
        #expect(await task.outcome.error == nil)
        #expect(transport.requests.count == 1)
    }

    @Test(
        "what happens to a task is told in order",
        arguments: [
            ("an answer", [[.head(204)]], ["resumed", "responded 204", "completed"]),
            (
                "a redirect", [[redirect], [.head(204)]],
                ["resumed", "redirected http://e.com/1", "responded 204", "completed"]
            ),
            (
                "a challenge, and a redirect behind it", [[challenge], [redirect], [.head(204)]],
                ["resumed", "responded 401", "challenged", "redirected http://e.com/1", "responded 204", "completed"]
            ),
            ("no answer", [[.fail(TransferError(.cannotConnect, "Refused"))]], ["resumed", "completed"]),
        ] as [(String, [[ScriptedTransport.Step]], [String])])
    func events(rule: String, answers: [[ScriptedTransport.Step]], expected: [String]) async throws {
        let example = try Example { $0.credentials = .digest(username: "u", password: "p") }
        let session = example.session(over: Example.transport(answers))
        let task = try session.task(TaskRequest())
        let events = task.events
        task.resume()
        #expect(await events.compactMap(\.word).reduce(into: []) { $0.append($1) } == expected, "\(rule)")
    }

    private static let redirect = ScriptedTransport.Step.head(302, [.location: "/1"])
    private static let challenge = ScriptedTransport.Step.head(401, [.wwwAuthenticate: #"Digest realm="r", nonce="n""#])

    @Test("AFNetworking: the event of completion comes when the result can be seen")
    func completion() async throws {
        let session = try Example().session(over: ScriptedTransport([.head(404)]))
        let task = try session.task(TaskRequest())
        let events = task.events
        task.resume()
        for await event in events {
            guard case .completed(let outcome) = event else { continue }
            #expect(task.state == .completed)
            #expect(await task.outcome.error == outcome.error)
            #expect(outcome.numbers == [-1011])
        }
    }

    @Test("AFNetworking: the tasks of a session are those of one moment, until they are over")
    func tasks() async throws {
        let session = try Example().session(over: ScriptedTransport([.head(204)]))
        let events = session.events
        let (first, second) = (try session.task(TaskRequest()), try session.task(TaskRequest()))
        #expect(session.tasks.map(\.id.number) == [1, 2])
        first.resume()
        _ = await first.outcome
        await session.invalidate(cancelingTasks: true)
        #expect(session.tasks.isEmpty)
        #expect(await second.outcome.error == .canceled)
        var last: SessionEvent?
        for await event in events { last = event }
        guard case .invalidated = last else {
            Issue.record("the last event of a session is its end")
            return
        }
    }

    @Test(
        "AFNetworking: an invalidated session refuses what is new, and cancels what there is or lets it end",
        arguments: [(true, SessionError.canceled), (false, nil)] as [(Bool, SessionError?)])
    func invalidation(cancels: Bool, error: SessionError?) async throws {
        let (began, hold) = (Signal<Void>(), ScriptedTransport.Hold())
        let transport = ScriptedTransport { _ in
            began.send()
            return [.wait(hold), .head(204)]
        }
        let session = try Example().session(over: transport)
        let running = try session.task(TaskRequest())
        running.resume()
        await began.wait()
        let end = Task { await session.invalidate(cancelingTasks: cancels) }
        if cancels { await end.value }
        if !cancels { hold.release() }
        #expect(await running.outcome.error == error)
        await end.value
        #expect(throws: SessionError(.sessionClosed, "The session is closed")) { try session.task(TaskRequest()) }
    }

    @Test("AFNetworking: a request that cannot be made is an error, and there is no task")
    func noTask() throws {
        let session = try Example().session(over: ScriptedTransport([]))
        let task = TaskRequest("POST", json: "[1]")
        let error = #expect(throws: SessionError.self) { try session.task(task) }
        #expect(error?.code == .unserializableParameters && error?.number == -1016)
        #expect(session.tasks.isEmpty)
    }
}

/// A sink that has given up its content only when a test says so.
private final class LingeringSink: BodySink {
    let mayEnd = Signal<Void>()

    func begin(resume: @escaping @Sendable () -> Void) {}
    func append(_ bytes: RawSpan) -> ReceiveDecision { .more }
    func finish() async throws(TransferError) -> ReceivedBody { ReceivedBody(size: 0, content: .bytes([])) }
    func discard() async { await mayEnd.wait() }
}

extension SessionTaskEvent {
    /// What tells of a change; `nil` for how far it is.
    fileprivate var word: String? {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .redirected(_, let url, _): "redirected \(url)"
        case .challenged: "challenged"
        case .responded(let head): "responded \(head.status)"
        case .progress, .measured: nil
        case .completed: "completed"
        }
    }
}
