import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Stopping without refused connections")
    struct StopTests {
        @Test("During the stop delay new clients are served and their tasks run, while /readyz is 503")
        func stopDelay() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(ScriptedServer.accepting) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.server = ["stop_delay: 5m"]
                let gateway = try await GatewayProcess(settings, in: folder)
                #expect(try await gateway.client().get("/readyz").status == 200)
                gateway.process.kill(SIGTERM)
                let stopping = try await gateway.process.logLine(containing: #""message":"Stopping""#)
                #expect(stopping.contains(#""stop_delay":"5m""#))
                let late = try gateway.client()
                #expect(try await late.get("/readyz").status == 503)
                #expect(try await late.get("/healthz").status == 200)
                let task = try await late.run(#"{"session":"up"}"#)
                #expect(task.state == "succeeded")

                gateway.process.kill(SIGTERM)
                let last = try await gateway.process.logLine(containing: "Ended at once by a second signal")
                #expect(last.contains(#""signal":"SIGTERM""#))
                #expect(last.contains(#""status":143"#))
                #expect(await gateway.process.exit() == .status(128 + SIGTERM))

                settings.server = []
                try await withGateway(settings, in: folder) { gateway async throws in
                    #expect(try await gateway.client().task(task.id).state == "succeeded")
                }
            }
        }

        @Test("It stops regularly after the stop delay, and by SIGINT without it", arguments: [SIGTERM, SIGINT])
        func regularStop(signal: Int32) async throws {
            var settings = GatewaySettings()
            settings.server = ["stop_delay: \(signal == SIGINT ? "5m" : "10ms")"]
            let gateway = try await GatewayProcess(settings, in: TemporaryFolder())
            gateway.process.kill(signal)
            _ = try await gateway.process.logLine(containing: #""message":"Stopped""#)
            #expect(await gateway.process.exit() == .status(0))
        }

        @Test("During the drain tasks are refused with 503, and reads, waits and streams go on until the attempt ends")
        func drain() async throws {
            let folder = try TemporaryFolder()
            let gate = Gate()
            try await withUpstream(holding: gate) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.dispatcher = ["drain: 1h"]
                let gateway = try await GatewayProcess(settings, in: folder)
                let (held, key) = (#"{"session":"up","path":"held"}"#, "Idempotency-Key: once")
                let task = try TaskView(await gateway.client().post("/v1/tasks", json: held, key), expecting: [202])
                let stream = try await EventStreamClient(gateway, "/v1/tasks/\(task.id)/events")
                _ = try await stream.next()
                let waiting = try gateway.client()
                async let waited = waiting.get("/v1/tasks/\(task.id)?wait=1h")
                defer { gate.open() }
                try await until {
                    try await gateway.client().get("/metrics").text.contains("errand_waiting_requests 1")
                }
                let yearly = #"{"cron":"0 0 1 1 *","task":{"session":"up"}}"#
                _ = try await gateway.client().send("PUT", "/v1/schedules/yearly", json: yearly)
                gateway.process.kill(SIGTERM)
                _ = try await gateway.process.logLine(containing: "Draining")

                let late = try gateway.client()
                var refusal = try await late.post("/v1/tasks", json: #"{"session":"up"}"#)
                try await until {
                    refusal = try await late.post("/v1/tasks", json: #"{"session":"up"}"#)
                    return refusal.status != 202
                }
                let item = #"{"session":"up"}"#
                let batch = try await late.post("/v1/tasks:batch", json: "{\"tasks\":[\(item),\(item)]}")
                let run = try await late.post("/v1/schedules/yearly/run")
                for response in [refusal, batch, run] {
                    #expect(response.status == 503)
                    #expect(response["Retry-After"] == "5")
                    #expect(response["Content-Type"] == "application/problem+json")
                    #expect(response.text.contains(#""type":"/problems/stopping""#), "\(response.text)")
                }
                let replayed = try await late.post("/v1/tasks", json: held, key)
                #expect(replayed.status == 200)
                #expect(replayed.text.contains(task.id))
                #expect(try await late.get("/readyz").status == 503)
                #expect(try await late.get("/healthz").status == 200)

                #expect(try await gateway.client().task(task.id).state == "running")
                gate.open()
                let response = try await waited
                #expect(try TaskView(response).state == "succeeded")
                #expect(try await stream.through("task.succeeded").last?.data["state"]?.string == "succeeded")
                #expect(await gateway.process.exit() == .status(0))

                try await withGateway(settings, in: folder) { gateway async throws in
                    #expect(try await gateway.client().task(task.id).state == "succeeded")
                }
            }
        }

        @Test("SIGHUP reloads the configuration during the stop delay too")
        func reloadInDelay() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.server = ["stop_delay: 5m"]
            let gateway = try await GatewayProcess(settings, in: folder)
            gateway.process.kill(SIGTERM)
            _ = try await gateway.process.logLine(containing: #""message":"Stopping""#)
            settings.dispatcher = ["drain: 7s"]
            try folder.write(settings.yaml(folder), to: "config.yaml")
            gateway.process.kill(SIGHUP)
            let line = try await gateway.process.logLine(containing: #""message":"Configuration reloaded""#)
            #expect(line.contains("dispatcher.drain"))
            gateway.process.kill(SIGTERM)
            #expect(await gateway.process.exit() == .status(128 + SIGTERM))
        }

        @Test("A reload during the stop delay changes the drain that follows")
        func reloadedDrain() async throws {
            let folder = try TemporaryFolder()
            // On a slow machine the first delays can be over before the reload.
            for delay in [2, 8, 32, 128] {
                var settings = GatewaySettings()
                settings.server = ["stop_delay: \(delay)s"]
                let gateway = try await GatewayProcess(settings, in: folder)
                gateway.process.kill(SIGTERM)
                _ = try await gateway.process.logLine(containing: #""message":"Stopping""#)
                settings.dispatcher = ["drain: 7s"]
                try folder.write(settings.yaml(folder), to: "config.yaml")
                let reloaded = try? await gateway.client().reload()
                let draining = try await gateway.process.logLine(containing: #""message":"Draining"#)
                #expect(await gateway.process.exit() == .status(0))
                guard let reloaded else { continue }
                #expect(reloaded.changed == ["dispatcher.drain"])
                #expect(draining.contains(#""drain":"7s""#))
                return
            }
            Issue.record("No delay was long enough for a reload")
        }

        @Test("A reload changes the stop delay")
        func reloadedDelay() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.server = ["stop_delay: 5m"]
            let gateway = try await GatewayProcess(settings, in: folder)
            settings.server = ["stop_delay: 0s"]
            try folder.write(settings.yaml(folder), to: "config.yaml")
            #expect(try await gateway.client().reload().changed == ["server.stop_delay"])
            // With the delay of the start it would end in five minutes.
            gateway.process.kill(SIGTERM)
            let stopping = try await gateway.process.logLine(containing: #""message":"Stopping""#)
            #expect(stopping.contains(#""stop_delay":"0s""#))
            #expect(await gateway.process.exit() == .status(0))
        }
    }
}
