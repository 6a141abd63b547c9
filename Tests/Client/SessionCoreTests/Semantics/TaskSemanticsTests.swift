import ErrandAuthentication
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The life cycle of a task: the states of a URLSession task, one event for each change, the result before the last
/// event.
@Suite("Rules of tasks", .timeLimit(.hang))
struct TaskSemanticsTests {
    /// An operation of the owner of a task.
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
        "AFNetworking: the states, and one event for each change",
        arguments: [
            ("made suspended", [], .suspended, []),
            ("suspended, it cannot be suspended", [.suspend], .suspended, []),
            ("started", [.resume], .running, ["resumed"]),
            ("running, it cannot be resumed", [.resume, .resume], .running, ["resumed"]),
            ("suspended", [.resume, .suspend], .suspended, ["resumed", "suspended"]),
            ("suspended twice has one event", [.resume, .suspend, .suspend], .suspended, ["resumed", "suspended"]),
            ("resumed", [.resume, .suspend, .resume], .running, ["resumed", "suspended", "resumed"]),
            ("canceled while it runs", [.resume, .cancel], .canceling, ["resumed"]),
            ("canceled while it is suspended", [.resume, .suspend, .cancel], .canceling, ["resumed", "suspended"]),
            ("canceled, it cannot be resumed", [.resume, .cancel, .resume], .canceling, ["resumed"]),
            ("canceled, it cannot be suspended", [.resume, .cancel, .suspend], .canceling, ["resumed"]),
            ("canceled twice is canceled once", [.resume, .cancel, .cancel], .canceling, ["resumed"]),
            ("canceled before it starts, it is completed", [.cancel], .completed, []),
            ("completed, it cannot be resumed", [.cancel, .resume], .completed, []),
        ] as [(String, [Call], SessionTask.State, [String])])
    func states(rule: String, calls: [Call], state: SessionTask.State, events: [String]) async throws {
        // The transfer is suspended, and a canceled task does not end before its sink is done.
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
        "a completed task stays completed",
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
        "the events of a task come in order",
        arguments: [
            ("a response", [[.head(204)]], ["resumed", "responded 204", "completed"]),
            (
                "a redirect", [[redirect], [.head(204)]],
                ["resumed", "redirected http://e.com/1", "responded 204", "completed"]
            ),
            (
                "a challenge, then a redirect", [[challenge], [redirect], [.head(204)]],
                ["resumed", "responded 401", "challenged", "redirected http://e.com/1", "responded 204", "completed"]
            ),
            ("no response", [[.fail(TransferError(.cannotConnect, "Refused"))]], ["resumed", "completed"]),
        ] as [(String, [[ScriptedTransport.Step]], [String])])
    func events(rule: String, responses: [[ScriptedTransport.Step]], expected: [String]) async throws {
        let example = try Example { $0.credentials = .digest(username: "u", password: "p") }
        let session = example.session(over: Example.transport(responses))
        let task = try session.task(TaskRequest())
        let events = task.events
        task.resume()
        #expect(await events.compactMap(\.word).reduce(into: []) { $0.append($1) } == expected, "\(rule)")
    }

    private static let redirect = ScriptedTransport.Step.head(302, [.location: "/1"])
    private static let challenge = ScriptedTransport.Step.head(401, [.wwwAuthenticate: #"Digest realm="r", nonce="n""#])

    @Test("AFNetworking: the event of completion comes when the result is available")
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

    @Test("AFNetworking: the tasks of a session are a snapshot, and are removed when they end")
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
        "AFNetworking: an invalidated session rejects new tasks, and cancels the others or lets them end",
        arguments: [(true, SessionError.canceled), (false, nil)] as [(Bool, SessionError?)])
    func invalidation(cancels: Bool, error: SessionError?) async throws {
        let (began, gate) = (Signal<Void>(), ScriptedTransport.Gate())
        let transport = ScriptedTransport { _ in
            began.send()
            return [.wait(gate), .head(204)]
        }
        let session = try Example().session(over: transport)
        let running = try session.task(TaskRequest())
        running.resume()
        await began.wait()
        let end = Task { await session.invalidate(cancelingTasks: cancels) }
        if cancels { await end.value }
        if !cancels { gate.open() }
        #expect(await running.outcome.error == error)
        await end.value
        #expect(throws: SessionError(.sessionClosed, "The session is closed")) { try session.task(TaskRequest()) }
    }

    @Test("AFNetworking: an invalid request is an error, and there is no task")
    func noTask() throws {
        let session = try Example().session(over: ScriptedTransport([]))
        let task = TaskRequest("POST", json: "[1]")
        let error = #expect(throws: SessionError.self) { try session.task(task) }
        #expect(error?.code == .unserializableParameters && error?.number == -1016)
        #expect(session.tasks.isEmpty)
    }
}

/// A sink whose discard waits until a test lets it end.
private final class LingeringSink: BodySink {
    let mayEnd = Signal<Void>()

    func begin(resume: @escaping @Sendable () -> Void) {}
    func append(_ bytes: RawSpan) -> ReceiveDecision { .more }
    func finish() async throws(TransferError) -> ReceivedBody { ReceivedBody(size: 0, content: .bytes([])) }
    func discard() async { await mayEnd.wait() }
}

extension SessionTaskEvent {
    /// A text for each kind of event; `nil` for progress.
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
