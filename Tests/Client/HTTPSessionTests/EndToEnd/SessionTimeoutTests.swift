import ErrandSupport
import HTTPSession
import Testing

/// Timeouts of sessions and tasks over libcurl.
///
/// The servers never go on, so that nothing else can end a request.
@Suite("A request that takes too long", .timeLimit(.hang))
struct SessionTimeoutTests {
    @Test(
        "fails after a timeout of the session or of the task",
        arguments: [
            (TransferTimeouts(total: .milliseconds(200)), TaskTimeouts()),
            (TransferTimeouts(idle: .milliseconds(200)), TaskTimeouts()),
            (TransferTimeouts(total: .seconds(600)), TaskTimeouts(total: .milliseconds(200))),
            (TransferTimeouts(idle: .seconds(600)), TaskTimeouts(idle: .milliseconds(200))),
        ])
    func late(session: TransferTimeouts, task: TaskTimeouts) async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.timeouts = session }
        let outcome = await api.run(try api.prepare(TaskRequest(timeouts: task)), sink: MemorySink())
        #expect(outcome.error?.code == .timedOut)
        #expect(outcome.error?.isRetryable == true)
        #expect(outcome.response == nil)
        #expect(outcome.metrics.total >= .milliseconds(200))
    }

    @Test("says nothing about the upstream if it has only waited for a free connection")
    func waiting() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.connection.maxConnectionsPerHost = 1 }
        try api.dataTask("").resume()
        _ = await server.requests.first(1)
        let late = try api.prepare(TaskRequest(timeouts: TaskTimeouts(total: .milliseconds(200))))
        #expect(await api.run(late, sink: MemorySink()).error?.code == .timedOut)
        #expect(api.reachability == .unknown)
        await api.invalidate(cancelingTasks: true)
        #expect(server.requests.events.count == 1)
    }

    @Test("is an error with the head of the response if its content stops halfway")
    func stalled() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n*")
            connection.waitForClose()
        }
        defer { server.stop() }
        // On a busy machine the timeout may pass before the head arrives. Then it is doubled.
        for exponent in 0... {
            let api = try Session.patient(server.origin) {
                $0.response.serializer = .raw
                $0.timeouts.idle = .milliseconds(300 << exponent)
            }
            let outcome = await api.run(try api.prepare(TaskRequest()), sink: MemorySink())
            try #require(outcome.error?.code == .timedOut)
            guard let response = outcome.response else { continue }
            #expect(response.head.status == 200)
            #expect(response.head.headers[.contentLength] == "2")
            return
        }
    }
}
