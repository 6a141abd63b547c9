import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Metrics")
    struct MetricsTests {
        /// Answers with an error for the path `/bad`, and otherwise with a document.
        private static let upstream: ScriptedServer.Script = { connection in
            while true {
                let isBad = try connection.readRequest().line.contains(" /bad")
                let status = isBad ? "500 Internal Server Error" : "200 OK"
                try connection.respond(status, ["Content-Type: application/json"], body: "{}")
            }
        }

        /// Runs a gateway that has had tasks of all outcomes, one of them with a callback.
        private func withTasks(_ body: (GatewayProcess, APIClient, TemporaryFolder) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.upstream) { upstream in
                let settings = CallbackSettings.settings(
                    upstream: upstream.origin, secrets: [CallbackSettings.secret])
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let told = try await client.run(CallbackSettings.task(callback: "\(upstream.origin)/hook"))
                    #expect(try await client.finished(client.delivery(about: told)).state == "succeeded")
                    #expect(try await client.run(#"{"session":"up","path":"bad"}"#).state == "failed")
                    try await body(gateway, client, folder)
                }
            }
        }

        @Test(
            "Prometheus finds no fault in the metrics after tasks, an event stream and requests of all kinds",
            .enabled("promtool is not installed, and this is not Debian") { try await Promtool.isExpected })
        func accepted() async throws {
            try await withTasks { gateway, client, folder in
                let stream = try await EventStreamClient(gateway, "/v1/events")
                #expect(stream.status == 200)
                #expect(try await client.get("/nowhere").status == 404)
                let text = try await client.get("/metrics").text
                let findings = try await Promtool.findings(in: text, folder)
                #expect(findings == "")
                let faults = try await Promtool.findings(in: text + "# TYPE a counter\na 1\n", folder)
                #expect(faults.contains("a no help text"))
            }
        }

        @Test("The metrics are those of the table in docs/operations.md, with the same kinds, and each has a value")
        func documented() async throws {
            let documented = try MetricsTable.documented()
            #expect(documented.count > 30)
            try await withTasks { _, client, _ in
                let table = MetricsTable(try await client.get("/metrics").text)
                #expect(table.kinds == documented)
                #expect(table.kinds.keys.filter { !table.families.contains($0) } == [])
            }
        }

        @Test("Requests are counted by route, method and status as sent, with those that wait and open streams")
        func requests() async throws {
            try await withTasks { gateway, client, _ in
                var table = MetricsTable(try await client.get("/metrics").text)
                #expect(table["errand_event_streams"] == 0)
                #expect(table["errand_waiting_requests"] == 0)
                let created = #"errand_http_requests_total{route="/v1/tasks",method="POST",code="202"}"#
                #expect(table[created] == 2)
                let task = try await client.create(#"{"session":"up","start":"suspended"}"#)
                #expect(try await client.send("HEAD", "/v1/tasks/\(task.id)").status == 200)
                #expect(try await client.get("/v1/tasks/nothing").status == 404)
                #expect(try await client.get("/nowhere/\(task.id)").status == 404)
                #expect(try await client.post("/v1/tasks", json: "{").status == 400)
                let malformed = try await gateway.client().connection.exchange("NO/SUCH\r\n\r\n")
                #expect(malformed.status == 400)
                let stream = try await EventStreamClient(gateway, "/v1/tasks/\(task.id)/events")
                async let waiting = gateway.client().get("/v1/tasks/\(task.id)?wait=1h")
                try await until {
                    table = MetricsTable(try await client.get("/metrics").text)
                    return table["errand_waiting_requests"] == 1
                }
                #expect(table["errand_event_streams"] == 1)
                #expect(table[created] == 3)
                for (series, count) in [
                    (#"route="/v1/tasks/{id}",method="HEAD",code="200""#, 1),
                    (#"route="/v1/tasks/{id}",method="GET",code="404""#, 1),
                    (#"route="other",method="GET",code="404""#, 1),
                    (#"route="/v1/tasks",method="POST",code="400""#, 1),
                    (#"route="other",method="other",code="400""#, 1),
                    (#"route="/v1/tasks/{id}/events",method="GET",code="200""#, 1),
                ] {
                    #expect(table["errand_http_requests_total{\(series)}"] == Double(count), "\(series)")
                }
                #expect(table[#"errand_http_request_duration_seconds_count{route="/v1/tasks"}"#] == 5)
                #expect(try await client.post("/v1/tasks/\(task.id)/cancel").status == 200)
                #expect(try await waiting.status == 200)
                _ = try await stream.through("task.canceled")
                _ = try await stream.end()
                try await until {
                    table = MetricsTable(try await client.get("/metrics").text)
                    return table["errand_event_streams"] == 0 && table["errand_waiting_requests"] == 0
                }
            }
        }

        @Test("A task that waits for a slot is counted with its wait, and its attempt with the phases that it had")
        func waits() async throws {
            let gate = Gate()
            try await withUpstream(holding: gate) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 1 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let first = try await client.create(#"{"session":"up","path":"held"}"#)
                    let second = try await client.create(#"{"session":"up"}"#)
                    let waits = #"errand_queue_wait_seconds_count{session="up"}"#
                    var table = MetricsTable(try await client.get("/metrics").text)
                    #expect(table[waits] == 1, "The second has not begun")
                    gate.open()
                    for task in [first, second] { #expect(try await client.finished(task).state == "succeeded") }
                    table = MetricsTable(try await client.get("/metrics").text)
                    #expect(table[waits] == 2)
                    #expect(table[#"errand_queue_wait_seconds_sum{session="up"}"#] ?? 0 > 0)
                    for phase in ["connect", "send", "wait", "receive"] {
                        let series = #"errand_attempt_phase_duration_seconds_count{session="up",phase="\#(phase)"}"#
                        #expect(table[series] ?? 0 > 0, "\(phase)")
                    }
                }
            }
        }

        @Test("Callbacks are counted while they are pending and when they have ended")
        func callbacks() async throws {
            let gate = Gate()
            try await withUpstream(holding: gate) { upstream in
                let settings = CallbackSettings.settings(upstream: upstream.origin, secrets: [CallbackSettings.secret])
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(CallbackSettings.task(callback: "\(upstream.origin)/held"))
                    let pending = #"errand_callbacks_pending{session="callbacks"}"#
                    let delivered =
                        #"errand_tasks_finished_total{session="callbacks",kind="callback",outcome="succeeded"}"#
                    var table = MetricsTable(try await client.get("/metrics").text)
                    #expect(table[pending] == 1)
                    #expect(table[delivered] == 0)
                    gate.open()
                    _ = try await client.finished(client.delivery(about: task))
                    table = MetricsTable(try await client.get("/metrics").text)
                    #expect(table[pending] == 0)
                    #expect(table[delivered] == 1)
                }
            }
        }
    }
}
