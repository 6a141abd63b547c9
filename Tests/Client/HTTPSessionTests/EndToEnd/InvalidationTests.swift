import ErrandSupport
import HTTPSession
import Testing

@Suite("An invalidated session", .timeLimit(.hang))
struct InvalidationTests {
    @Test("lets its tasks end, and accepts no more")
    func drained() async throws {
        let mayContinue = Gate()
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            mayContinue.wait()
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "[]")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.dataTask("")
        task.resume()
        _ = await server.requests.first(1)
        let closing = Task {
            await api.invalidate(cancelingTasks: false)
            return task.state
        }
        mayContinue.open()
        #expect(await closing.value == .completed)
        #expect(await task.outcome.error == nil)
        let error = #expect(throws: SessionError.self) { try api.dataTask("") }
        #expect(error?.code == .sessionClosed)
        let refused = await #expect(throws: SessionError.self) { try await api.get("") }
        #expect(refused?.code == .sessionClosed)
    }

    @Test("cancels its tasks and calls on request, and closes their connections")
    func canceled() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let tasks = try (0..<3).map { try api.dataTask("\($0)") }
        // The last one never begins.
        for task in tasks.prefix(2) { task.resume() }
        let call = Task { () async throws(SessionError) in try await api.get("call") }
        _ = await server.requests.first(3)
        await api.invalidate(cancelingTasks: true)
        for task in tasks { #expect(await task.outcome.error == .canceled) }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error == .canceled)
        #expect(Set(await server.ended.first(3)) == [0, 1, 2])
    }
}
