import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Change of store.encryption_keys")
    struct KeyRotationTests {
        private static let former = Data(repeating: 1, count: 32).base64EncodedString()
        private static let new = Data(repeating: 2, count: 32).base64EncodedString()

        private static func settings(_ upstream: ScriptedServer, keys: [String]) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.store.append("encryption_keys: [\(keys.map { "\"\($0)\"" }.joined(separator: ", "))]")
            settings.sessions = [
                "kept: { base_url: \"\(upstream.origin)\", cookies: persistent, response: { serializer: raw } }"
            ]
            return settings
        }

        /// Responds to each request with a cookie that is kept.
        private static let serve: ScriptedServer.Script = { connection in
            while true {
                try connection.readRequest()
                try connection.respond("200 OK", ["Set-Cookie: id=1; Max-Age=3600; Path=/"], body: "x")
            }
        }

        /// Receives a cookie and creates a schedule, both sealed with the former key.
        private static func store(in folder: TemporaryFolder, _ upstream: ScriptedServer) async throws {
            try await withGateway(settings(upstream, keys: [former]), in: folder) { gateway in
                let client = try gateway.client()
                #expect(try await client.run(#"{"session":"kept"}"#).state == "succeeded")
                let schedule = #"{"name":"yearly","cron":"@yearly","task":{"session":"kept"}}"#
                let created = try await client.post("/v1/schedules", json: schedule)
                #expect(created.status == 201, "\(created.text)")
            }
        }

        /// Runs the schedule and checks that its request has the cookie.
        private static func expectRun(of gateway: GatewayProcess, _ upstream: ScriptedServer) async throws {
            let client = try gateway.client()
            let schedule = try await client.get("/v1/schedules/yearly")
            #expect(schedule.text.contains(#""last_error":null"#), "\(schedule.text)")
            let run = try await client.post("/v1/schedules/yearly/run")
            let task = try await client.finished(TaskView(run, expecting: [202]))
            #expect(task.state == "succeeded")
            #expect(upstream.requests.events.last?["Cookie"] == "id=1")
        }

        @Test("A start with both keys seals cookies and schedules again, so that the former key can be removed")
        func rotation() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.serve) { upstream in
                try await Self.store(in: folder, upstream)
                let both = Self.settings(upstream, keys: [Self.new, Self.former])
                try await withGateway(both, in: folder) { gateway in
                    let line = try await gateway.process.logLine(containing: "were sealed again")
                    #expect(line.contains(#""schedules":1"#) && line.contains(#""sessions":1"#), "\(line)")
                }
                try await withGateway(Self.settings(upstream, keys: [Self.new]), in: folder) { gateway in
                    try await Self.expectRun(of: gateway, upstream)
                }
            }
        }

        @Test("Without the former key the start names the schedule and the session, and the schedule has this reason")
        func missingKey() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.serve) { upstream in
                try await Self.store(in: folder, upstream)
                try await withGateway(Self.settings(upstream, keys: [Self.new]), in: folder) { gateway in
                    let missing = "are sealed with keys that are missing in store.encryption_keys"
                    let ofSchedule = try await gateway.process.logLine(containing: "Schedules \(missing)")
                    #expect(ofSchedule.contains(#""schedule":"yearly""#), "\(ofSchedule)")
                    let ofCookies = try await gateway.process.logLine(containing: "Cookies \(missing)")
                    #expect(ofCookies.contains(#""session":"kept""#), "\(ofCookies)")
                    let reason = "which is not among store.encryption_keys; add the key again"
                    let logged = try await gateway.process.logLine(containing: "A schedule created no task")
                    #expect(logged.contains(reason), "\(logged)")
                    let client = try gateway.client()
                    let schedule = try await client.get("/v1/schedules/yearly")
                    #expect(schedule.text.contains(reason), "\(schedule.text)")
                    let run = try await client.post("/v1/schedules/yearly/run")
                    #expect(run.status == 422)
                    #expect(run.text.contains(reason), "\(run.text)")
                    #expect(try await client.run(#"{"session":"kept"}"#).state == "failed")
                }
                let both = Self.settings(upstream, keys: [Self.new, Self.former])
                try await withGateway(both, in: folder) { gateway in
                    try await Self.expectRun(of: gateway, upstream)
                }
            }
        }
    }
}
