import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A session task", .timeLimit(.hang))
struct SessionTaskTests {
    var configuration: SessionConfiguration
    let clock = ManualClock()
    let head = ScriptedTransport.Step.head(ResponseHead(status: 200))

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
    }

    private func session(_ script: [ScriptedTransport.Step]) -> (Session, ScriptedTransport) {
        let transport = ScriptedTransport(script)
        return (Session(configuration, transport: transport, clock: clock), transport)
    }

    @Test("is suspended at first, and sends nothing until resumed")
    func suspendedAtFirst() async throws {
        let (session, transport) = session([head, .bytes([1])])
        let task = try session.task(TaskRequest())
        #expect(task.state == .suspended)
        #expect(transport.requests.isEmpty)
        task.resume()
        #expect(try await task.response.body?.size == 1)
        #expect(task.state == .completed)
        #expect(transport.requests.count == 1)
    }

    @Test("reports its events, each change once, in order")
    func events() async throws {
        let gate = ScriptedTransport.Gate()
        let (session, _) = session([.wait(gate), head])
        let task = try session.task(TaskRequest())
        let events = task.events
        task.suspend()
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        gate.open()
        task.resume()
        let words = await events.reduce(into: []) { $0.append($1.word) }
        #expect(words == ["resumed", "suspended", "resumed", "responded 200", "at 0", "measured", "completed"])
    }

    @Test("reports its events to its session too")
    func sessionEvents() async throws {
        let (session, _) = session([head])
        let events = session.events
        let tasks = try (0..<2).map { _ in try session.task(TaskRequest()) }
        #expect(session.tasks.map(\.id) == tasks.map(\.id))
        for task in tasks {
            task.resume()
            _ = await task.outcome
        }
        await session.invalidate(cancelingTasks: false)
        let words = await events.reduce(into: [String]()) { words, event in
            switch event {
            case .task(let id, let event): words.append("\(id) \(event.word)")
            case .reachability(let reachability): words.append(reachability.rawValue)
            case .invalidated: words.append("invalidated")
            }
        }
        #expect(
            words == [
                "1 resumed", "1 responded 200", "1 at 0", "reachable", "1 measured", "1 completed", "2 resumed",
                "2 responded 200", "2 at 0", "2 measured", "2 completed", "invalidated",
            ])
        #expect(session.tasks.isEmpty)
    }

    /// Returns the response of the event with which a task has ended.
    private static func response(of event: SessionTaskEvent) -> SessionResponse? {
        if case .completed(let outcome) = event { outcome.response } else { nil }
    }

    @Test("tells its own listeners of its end with the content, and those of its session without it")
    mutating func contentOfEvents() async throws {
        configuration.response.serializer = .json
        let json = ResponseHead(status: 200, headers: [.contentType: "application/json"])
        let (session, _) = session([.head(json), .bytes(Array("[1]".utf8))])
        let task = try session.task(TaskRequest())
        let (ofTask, ofSession) = (task.events, session.events)
        task.resume()
        #expect(try await task.response.json == Array("[1]".utf8)[...])
        await session.invalidate(cancelingTasks: false)
        let told = await ofTask.reduce(into: [SessionResponse]()) { responses, event in
            if let response = Self.response(of: event) { responses.append(response) }
        }
        #expect(told.map(\.json) == [Array("[1]".utf8)[...]])
        let toldBySession = await ofSession.reduce(into: [SessionResponse]()) { responses, event in
            if case .task(_, let event) = event, let response = Self.response(of: event) { responses.append(response) }
        }
        #expect(toldBySession.map(\.status) == [200])
        #expect(toldBySession.allSatisfy { $0.body == nil && $0.object == ResponseObject.none })
    }

    @Test("can be canceled before it starts, while it runs, and while suspended")
    func cancels() async throws {
        let (session, transport) = session([.wait(.init()), head])
        let unbegun = try session.task(TaskRequest())
        unbegun.cancel()
        #expect(await unbegun.outcome.error == .canceled)
        #expect(transport.requests.isEmpty)
        let running = try session.task(TaskRequest())
        running.resume()
        running.cancel()
        #expect(await running.outcome.error == .canceled)
        let standing = try session.task(TaskRequest())
        standing.resume()
        standing.suspend()
        standing.cancel()
        #expect(await standing.outcome.error == .canceled)
        standing.resume()
        #expect(standing.state == .completed)
    }

    @Test("canceled while its response is read fails, with the response")
    func cancelsReading() async throws {
        let (session, _) = session([head])
        let sink = CancelingSink()
        let task = try session.task(TaskRequest()) { sink }
        sink.task.send(task)
        task.resume()
        let outcome = await task.outcome
        #expect(outcome.error == .canceled)
        #expect(outcome.response?.head.status == 200)
    }

    @Test("restarts when resumed after its connection was closed")
    func beginsAgain() async throws {
        let first = Signal<Void>()
        let transport = ScriptedTransport { [head] _ in
            defer { first.send() }
            return first.isSent ? [head] : [.wait(.init()), head]
        }
        let session = Session(configuration, transport: transport, clock: clock)
        let sink = RecordingSink()
        let task = try session.task(TaskRequest()) { sink }
        task.resume()
        await first.wait()
        task.suspend()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(60))
        await sink.givenUp.wait()
        task.resume()
        #expect(try await task.response.head.status == 200)
        #expect(transport.requests.count == 2)
    }

    @Test("reports its progress until the end, and the last value at the end")
    func progress() async throws {
        let (session, _) = session([head, .bytes([1, 2, 3])])
        let task = try session.task(TaskRequest())
        let updates = task.progressUpdates
        task.resume()
        _ = await task.outcome
        #expect(await updates.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    @Test("repeats the last progress at the end, even if it was reported before")
    func endOfProgress() async throws {
        let (session, _) = session([head])
        let task = try session.task(TaskRequest())
        var updates = task.progressUpdates.makeAsyncIterator()
        let first = await updates.next(isolation: nil)
        #expect(first == TransferProgress())
        task.resume()
        _ = await task.outcome
        let last = await updates.next(isolation: nil)
        #expect(last == task.progress)
        #expect(await updates.next(isolation: nil) == nil)
    }

    // MARK: Invalidation

    @Test("cannot be created by an invalidated session")
    func closed() async throws {
        let (session, _) = session([head])
        await session.invalidate(cancelingTasks: false)
        let error = #expect(throws: SessionError.self) { try session.task(TaskRequest()) }
        #expect(error?.code == .sessionClosed)
        let prepared = try session.prepare(TaskRequest())
        #expect(await session.run(prepared, sink: MemorySink()).error?.code == .sessionClosed)
        // The second time, which changes nothing.
        await session.invalidate(cancelingTasks: true)
    }

    @Test("runs to its end in a session that is drained, even if it had not started")
    func drained() async throws {
        let (session, _) = session([head])
        let task = try session.task(TaskRequest())
        let end = Task { await session.invalidate(cancelingTasks: false) }
        task.resume()
        #expect(await task.outcome.error == nil)
        await end.value
    }

    @Test("is canceled with its session")
    func canceledWithSession() async throws {
        let (session, _) = session([.wait(.init()), head])
        let tasks = try (0..<3).map { _ in try session.task(TaskRequest()) }
        tasks[0].resume()
        tasks[1].resume()
        let prepared = try session.prepare(TaskRequest())
        let control = AttemptControl()
        let attempt = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        await session.invalidate(cancelingTasks: true)
        for task in tasks { #expect(await task.outcome.error == .canceled) }
        let code = await attempt.value.error?.code
        #expect(code == .canceled || code == .sessionClosed)
    }
}

/// A sink that cancels its task when its content is complete.
private final class CancelingSink: BodySink {
    let task = Signal<SessionTask>()

    func begin(resume: @escaping @Sendable () -> Void) {}
    func append(_ bytes: RawSpan) -> ReceiveDecision { .more }
    func discard() async {}

    func finish() async throws(TransferError) -> ReceivedBody {
        await task.wait().cancel()
        return .empty
    }
}

extension SessionTaskEvent {
    fileprivate var word: String {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .redirected(_, let url, let status): "redirected \(status) \(url)"
        case .challenged: "challenged"
        case .responded(let head): "responded \(head.status)"
        case .progress(let progress): "at \(progress.received)"
        case .measured: "measured"
        case .completed: "completed"
        }
    }
}
