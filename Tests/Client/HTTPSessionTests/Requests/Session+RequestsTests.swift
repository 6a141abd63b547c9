import ErrandSupport
import HTTPSession
import Testing

@Suite("A request of a session", .timeLimit(.hang))
struct SessionRequestsTests {
    @Test("reports all its problems, before anything is sent")
    func problems() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) {
            try await api.get("http://other.example/", headers: ["Host": "x"])
        }
        #expect(error?.code == .urlOutOfScope)
        #expect(error?.message.contains("; ") == true)
        let parameters = await #expect(throws: SessionError.self) {
            try await api.get("", parameters: ["a": .double(.nan)])
        }
        #expect(parameters?.code == .unserializableParameters)
        #expect(try await server.connectionsBefore() == 0)
    }

    @Test("can have its own timeouts")
    func timeout() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        // On a busy machine the time may pass before there is a connection. Then it is doubled.
        var total = Duration.milliseconds(50)
        repeat {
            let options = RequestOptions(timeouts: TaskTimeouts(total: total))
            let error = await #expect(throws: SessionError.self) { try await api.get("", options: options) }
            try #require(error?.code == .timedOut)
            total += total
        } while server.accepted.events.isEmpty
        // Each connection is closed, or this waits for ever.
        _ = await server.ended.first(server.accepted.events.count)
    }

    @Test("is one of the session's tasks, and is canceled with the calling Swift task")
    func cancelation() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let events = api.events
        let call = Task { () async throws(SessionError) in try await api.get("x", as: [Int].self) }
        _ = await server.requests.first(1)
        #expect(api.tasks.map(\.request.shownURL) == [server.origin + "/x"])
        call.cancel()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error == .canceled)
        #expect(await server.ended.first(1) == [0])
        await api.invalidate(cancelingTasks: false)
        var told: [String] = []
        for await event in events {
            switch event {
            case .task(_, .resumed): told.append("resumed")
            case .task(_, .completed(let outcome)): told.append("completed: \(outcome.error?.code.rawValue ?? "")")
            case .task(_, .progress), .task(_, .measured): continue
            case .invalidated: told.append("invalidated")
            default: told.append("\(event)")
            }
        }
        #expect(told == ["resumed", "completed: canceled", "invalidated"])
    }

    @Test("as a task is suspended until resumed, and writes its content to the given sink")
    func task() async throws {
        let server = try ScriptedServer { _ in .json("[1]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let sinks = EventLog<Void>()
        let task = try api.dataTask("x", parameters: ["a": 1], headers: ["X-A": "1"]) {
            sinks.append()
            return MemorySink()
        }
        #expect(task.state == .suspended)
        #expect(task.request.shownURL == server.origin + "/x?a=1")
        #expect(api.tasks.map(\.id) == [task.id])
        #expect(try await server.connectionsBefore() == 0)
        task.resume()
        #expect(try await task.response.decoded(as: [Int].self) == [1])
        #expect(sinks.events.count == 1)
    }
}
