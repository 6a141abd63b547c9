import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Cancel takes effect immediately")
    struct CancelTests {
        @Test("The connection of a running task is closed before the response reports the cancellation")
        func running() async throws {
            try await withUpstream({ connection in
                try connection.readRequest()
                connection.waitForClose()
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    try await cancelRunning(on: upstream, connection: 0, gateway)
                }
            }
        }

        /// Starts a task that waits for its response, cancels it, and returns when the upstream was disconnected.
        ///
        /// Nothing but the cancel ends the connection.
        private func cancelRunning(
            on upstream: ScriptedServer, connection: Int, _ gateway: GatewayProcess
        ) async throws {
            let client = try gateway.client()
            let task = try await client.create(#"{"session":"up","path":"delay/30"}"#)
            _ = await upstream.requests.first(connection + 1)
            let clock = ContinuousClock()
            let start = clock.now
            // Not awaited if the cancel fails, as then nothing ends the connection.
            let closed = Task {
                _ = await upstream.ended.first(connection + 1)
                return clock.now
            }
            let canceled = try TaskView(await client.post("/v1/tasks/\(task.id)/cancel"))
            #expect(canceled.state == "canceled")
            #expect(canceled.error?.code == "canceled")
            let time = await closed.value - start
            print("cancel to the upstream's end of the connection: \(time)")
            Soak.expect(time, within: .seconds(1))
            // Repeating it has no effect.
            let again = try TaskView(await client.post("/v1/tasks/\(task.id)/cancel"))
            #expect(again.revision == canceled.revision)
        }

        @Test(
            "It also works while a name server that never answers blocks another task, and for that task",
            .enabled(if: NameServer.isPossible))
        func nameServerIsSilent() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                try connection.readRequest()
                connection.waitForClose()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.dispatcher = ["drain: 100ms"]
                settings.sessions = ["lost: { base_url: null, url_scope: any }"]
                let silence: NameServer.Script = { _, _ in nil }
                try await withNameServer(in: folder, silence) { nameServer, launcher in
                    try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                        let client = try gateway.client()
                        var number = 0
                        var isUnderWay = false
                        // The resolver gives up some time after its last message: a cancel shows that it does not wait
                        // for that only if it is done before. One that waits is never done before.
                        while !isUnderWay {
                            let name = "never-\(number).example"
                            let lost = try await client.create(#"{"session":"lost","path":"http://\#(name)/"}"#)
                            await nameServer.isAsked(for: name)
                            try await cancelRunning(on: upstream, connection: number, gateway)
                            let clock = ContinuousClock()
                            let start = clock.now
                            let canceled = try TaskView(await client.post("/v1/tasks/\(lost.id)/cancel"))
                            print("cancel during a name lookup: \(clock.now - start)")
                            #expect(canceled.state == "canceled")
                            isUnderWay = nameServer.messages.events.count { $0 == name } < NameServer.attempts
                            number += 1
                        }
                        // Another lookup, which must not delay the gateway's stop.
                        _ = try await client.create(#"{"session":"lost","path":"http://never.example/"}"#)
                    }
                }
            }
        }

        @Test("A POST on a reused connection that the upstream closes without a response is sent once")
        func postIsSentOnce() async throws {
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    if request.line.hasPrefix("POST") { return }
                    try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
                }
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.run(#"{"session":"up","path":"first"}"#).state == "succeeded")
                    let post = try await client.run(
                        #"{"session":"up","path":"order","method":"POST","body":{"json":{"amount":1.10}}}"#)
                    #expect(post.state == "failed")
                    #expect(post.error?.code == "connection_lost")
                    #expect(post.error?.mayHaveArrived == true)
                    #expect(post.attempts.count == 1)
                    #expect(try await client.run(#"{"session":"up","path":"last"}"#).state == "succeeded")
                    let requests = await upstream.requests.first(3)
                    #expect(
                        upstream.requests.events.map(\.line) == [
                            "GET /first HTTP/1.1", "POST /order HTTP/1.1", "GET /last HTTP/1.1",
                        ])
                    // The POST used the kept-alive connection.
                    #expect(requests[0].connection == requests[1].connection)
                    #expect(requests[1].body == Array(#"{"amount":1.10}"#.utf8))
                }
            }
        }

        @Test("A queued task is canceled at once and never sent; a finished one cannot be canceled")
        func queuedAndFinished() async throws {
            let gate = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                gate.wait()
                try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 1 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let first = try await client.create(#"{"session":"up","path":"first"}"#)
                    let second = try await client.create(#"{"session":"up","path":"second"}"#)
                    #expect(second.state == "queued")
                    let canceled = try TaskView(await client.post("/v1/tasks/\(second.id)/cancel"))
                    #expect(canceled.state == "canceled")
                    gate.open()
                    #expect(try await client.finished(first).state == "succeeded")
                    let late = try ProblemView(await client.post("/v1/tasks/\(first.id)/cancel"))
                    #expect(late.status == 409)
                    gate.open()
                    #expect(try await client.run(#"{"session":"up","path":"third"}"#).state == "succeeded")
                    #expect(
                        upstream.requests.events.map(\.line).map { $0.split(separator: " ")[1] } == [
                            "/first", "/third",
                        ])
                }
            }
        }
    }
}
