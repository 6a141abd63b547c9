import ErrandSupport
import HTTPSession
import Testing

@Suite("An observed task", .timeLimit(.hang))
struct WatchingTests {
    @Test("reports its progress up to the end")
    func progress() async throws {
        let mayContinue = Gate()
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            mayContinue.wait()
            try connection.send("world")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.serializer = .raw }
        let task = try api.dataTask("", method: .post, body: .text("abc"))
        task.resume()
        var seen: [TransferProgress] = []
        for await progress in task.progressUpdates {
            seen.append(progress)
            if progress.received == 5 { mayContinue.open() }
        }
        #expect(seen.last == TransferProgress(sent: 3, sendTotal: 3, received: 10, receiveTotal: 10))
        #expect(seen.contains { $0.received == 5 })
        #expect(seen.map(\.received) == seen.map(\.received).sorted())
        #expect(task.progress == seen.last)
    }

    @Test("reports its events in order, to its own listeners and those of the session")
    func events() async throws {
        let (mayContinue, hasBegun) = (Gate(), Signal<Void>())
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.respond("302 Found", ["Location: /there"])
            try connection.readRequest()
            hasBegun.send()
            mayContinue.wait()
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "[]")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.dataTask("here")
        let (ofTask, ofSession) = (task.events, api.events)
        async let told = Self.names(ofTask)
        async let toldBySession = Self.names(ofSession, of: task.id)
        task.resume()
        await hasBegun.wait()
        task.suspend()
        task.suspend()
        task.resume()
        task.resume()
        mayContinue.open()
        #expect(try await task.response.redirects == 1)
        await api.invalidate(cancelingTasks: false)
        let names = [
            "resumed", "redirected 302 /here /there", "suspended", "resumed", "responded 200", "completed",
        ]
        #expect(await told == names)
        #expect(await toldBySession == names + ["invalidated"])
    }

    private static func names(_ events: some AsyncSequence<SessionTaskEvent, Never> & Sendable) async -> [String] {
        var names: [String] = []
        for await event in events { if let name = name(event) { names.append(name) } }
        return names
    }

    private static func names(
        _ events: some AsyncSequence<SessionEvent, Never> & Sendable, of task: SessionTaskID
    ) async -> [String] {
        var names: [String] = []
        for await event in events {
            switch event {
            case .task(task, let event): if let name = name(event) { names.append(name) }
            case .task(let other, _): names.append("task \(other)")
            case .reachability: continue
            case .invalidated: names.append("invalidated")
            }
        }
        return names
    }

    /// A text for each kind of event; `nil` for progress.
    private static func name(_ event: SessionTaskEvent) -> String? {
        switch event {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .redirected(let from, let to, let status): "redirected \(status) \(from.path) \(to.path)"
        case .challenged(let url): "challenged \(url.path)"
        case .responded(let head): "responded \(head.status)"
        case .progress, .measured: nil
        case .completed(let outcome): outcome.error.map { "failed \($0.code)" } ?? "completed"
        }
    }

    @Test("reports each change of the upstream's reachability once")
    func reachability() async throws {
        let server = try ScriptedServer(keepsPort: true) { _ in .json("[]") }
        defer { withExtendedLifetime(server) {} }
        let api = try Session.patient(server.origin)
        #expect(api.reachability == .unknown)
        let events = api.events
        async let changes = Self.changes(events)
        try await api.get("")
        try await api.get("")
        #expect(api.reachability == .reachable)
        server.stop()
        _ = await server.closed.first(1)
        await #expect(throws: SessionError.self) { try await api.get("", headers: ["Connection-Test": "1"]) }
        #expect(api.reachability == .notReachable)
        await api.invalidate(cancelingTasks: false)
        #expect(await changes == [.reachable, .notReachable])
    }

    private static func changes(_ events: some AsyncSequence<SessionEvent, Never> & Sendable) async -> [Reachability] {
        var changes: [Reachability] = []
        for await event in events {
            if case .reachability(let change) = event { changes.append(change) }
        }
        return changes
    }
}
