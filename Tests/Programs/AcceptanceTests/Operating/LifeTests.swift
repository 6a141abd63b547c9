import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Life cycle of the gateway")
    struct LifeTests {
        /// Leaves the first connection without a response until the client closes it, and answers on the others.
        private let answerAllButFirst: ScriptedServer.Script = { connection in
            try connection.readRequest()
            if connection.number == 0 { return connection.waitForClose() }
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
        }

        @Test("A second gateway on the same store fails to start with a reason; the first continues")
        func secondGateway() async throws {
            let folder = try TemporaryFolder()
            try await withGateway(in: folder) { gateway in
                let second = try await Errand.run("serve", "--config", folder["config.yaml"])
                #expect(second.exit == .status(1))
                #expect(
                    second.errors.contains("Another gateway (process \(gateway.process.id)) has the task store open"))
                #expect(second.errors.contains("errand.db"))
                #expect(try await gateway.client().create(#"{"session":"up"}"#).done == false)
            }
            // The store is free again.
            try await withGateway(in: folder) { _ in }
        }

        @Test("An address in use is a failed start with its name and the remedy, in the log and in words")
        func takenAddress() async throws {
            try await withGateway { first in
                let folder = try TemporaryFolder()
                let yaml = GatewaySettings().yaml(folder)
                    .replacingOccurrences(of: "127.0.0.1:0", with: "127.0.0.1:\(first.port)")
                let second = try await Errand.run("serve", "--config", folder.write(yaml, to: "config.yaml"))
                #expect(second.exit == .status(1))
                let reason =
                    "listening: cannot listen on 127.0.0.1:\(first.port): Address already in use; "
                    + "stop the program that uses the address, or change server.listen (or ERRAND_LISTEN)"
                let lines = second.errors.split(separator: "\n").map(String.init)
                #expect(lines.contains("errand: the gateway did not start: \(reason)"), "\(lines)")
                #expect(lines.contains { $0.hasPrefix("{") && $0.contains(reason) }, "\(lines)")
                // The log of one text line says it once.
                let text = yaml.replacingOccurrences(of: "format: json", with: "format: text")
                let third = try await Errand.run("serve", "--config", folder.write(text, to: "text.yaml"))
                #expect(third.errors.components(separatedBy: reason).count == 2, "\(third.errors)")
            }
        }

        @Test("SIGTERM lets the running task finish, and starts no other; the next start does")
        func drain() async throws {
            let folder = try TemporaryFolder()
            let gate = Gate()
            try await withUpstream(holding: gate) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.session = ["limits: { concurrent: 1 }"]
                settings.dispatcher = ["drain: 1h"]
                let gateway = try await GatewayProcess(settings, in: folder)
                let client = try gateway.client()
                let held = try await client.create(#"{"session":"up","path":"held"}"#)
                let queued = try await client.create(#"{"session":"up","path":"queued"}"#)
                _ = await upstream.requests.first(1)
                gateway.process.kill(SIGTERM)
                _ = try await gateway.process.logLine(containing: "Stopping")
                #expect(await isRefused(gateway))
                gate.open()
                #expect(await gateway.process.exit() == .status(0))
                #expect(upstream.requests.events.count == 1)

                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let kept = try await client.task(held.id)
                    #expect(kept.state == "succeeded")
                    #expect(kept.attempts.count == 1)
                    #expect(try await client.finished(queued).state == "succeeded")
                }
            }
        }

        /// Returns true if new clients cannot connect, or are told that the gateway is stopping.
        private func isRefused(_ gateway: GatewayProcess) async -> Bool {
            do {
                return try await gateway.client().get("/readyz").status == 503
            } catch {
                return true
            }
        }

        @Test("Interrupted tasks are recovered: a GET runs again, a POST fails, a cancel stays")
        func recovery() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    if connection.number < 3 { return connection.waitForClose() }
                    let body = #"{"line":"\#(request.line)"}"#
                    try connection.respond("200 OK", ["Content-Type: application/json"], body: body)
                }
            }) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                let gateway = try await GatewayProcess(settings, in: folder)
                let client = try gateway.client()
                let get = try await client.create(#"{"session":"up","path":"get"}"#)
                let post = try await client.create(#"{"session":"up","path":"post","method":"POST"}"#)
                let cancel = try await client.create(#"{"session":"up","path":"cancel"}"#)
                _ = await upstream.requests.first(3)
                _ = try await client.post("/v1/tasks/\(cancel.id)/cancel")
                await gateway.kill()

                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let again = try await client.finished(get)
                    #expect(again.state == "succeeded")
                    #expect(again.attempts.map(\.number) == [1, 2])
                    #expect(again.attempts.map(\.error?.code) == ["interrupted", nil])
                    let lost = try await client.task(post.id)
                    #expect(lost.state == "failed")
                    #expect(lost.error?.code == "interrupted")
                    #expect(lost.error?.mayHaveArrived == true)
                    #expect(try await client.task(cancel.id).state == "canceled")
                    #expect(upstream.requests.events.count == 4)
                }
            }
        }

        @Test("A drain timeout interrupts running tasks, and the next start runs them again")
        func cutOff() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(answerAllButFirst) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.dispatcher = ["drain: 50ms"]
                let task = try await withGateway(settings, in: folder) { gateway in
                    let task = try await gateway.client().create(#"{"session":"up"}"#)
                    _ = await upstream.requests.first(1)
                    return task
                }
                #expect(await upstream.ended.first(1) == [0])
                try await withGateway(settings, in: folder) { gateway in
                    let finished = try await gateway.client().finished(task)
                    #expect(finished.state == "succeeded")
                }
            }
        }

        @Test("A client waiting when the gateway stops gets the current task, and does not delay the stop")
        func stopDuringLongPoll() async throws {
            try await withUpstream({ connection in
                try connection.readRequest()
                connection.waitForClose()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.dispatcher = ["drain: 50ms"]
                let gateway = try await GatewayProcess(settings, in: TemporaryFolder())
                let waiting = try gateway.client()
                let task = #"{"session":"up"}"#
                try await waiting.connection.send(
                    """
                    POST /v1/tasks?wait=1h HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
                    Content-Length: \(task.utf8.count)\r\n\r\n\(task)
                    """)
                // The client waits from now on: its task is stored, and sent.
                _ = await upstream.requests.first(1)
                // A gateway that waits for its clients ends in an hour.
                #expect(await gateway.stop() == .status(0))
                let response = try await waiting.connection.response()
                #expect(try TaskView(response, expecting: [202]).state == "running")
            }
        }

        @Test("A second signal terminates it at once, without data loss")
        func secondSignal() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(answerAllButFirst) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.dispatcher = ["drain: 1h"]
                let gateway = try await GatewayProcess(settings, in: folder)
                let task = try await gateway.client().create(#"{"session":"up"}"#)
                _ = await upstream.requests.first(1)
                gateway.process.kill(SIGTERM)
                _ = try await gateway.process.logLine(containing: "Stopping")
                gateway.process.kill(SIGTERM)
                #expect(await gateway.process.exit() == .status(128 + SIGTERM))
                try await withGateway(settings, in: folder) { gateway in
                    let finished = try await gateway.client().finished(task)
                    #expect(finished.state == "succeeded")
                }
            }
        }
    }
}
