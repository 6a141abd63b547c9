import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Secrets")
    struct SecretsTests {
        private static let token = Canary.secret("auth-token")

        private static func settings(_ sessions: SecretSessions, keys: [String]) -> GatewaySettings {
            var settings = GatewaySettings()
            settings.auth = ["tokens: [{ name: ci, token: \(token) }]"]
            settings.store.append("encryption_keys: [\(keys.map { "\"\($0)\"" }.joined(separator: ", "))]")
            settings.sessions = sessions.sessions.map(\.yaml)
            settings.logLevel = "trace"
            return settings
        }

        /// Sends a request with the token.
        private static func ask(
            _ client: APIClient, _ method: String, _ path: String, json: String? = nil, token: String = token
        ) async throws -> RawHTTPClient.Response {
            try await client.send(method, path, ["Authorization: Bearer \(token)"], json: json)
        }

        /// Reads all pages of the list, which must have no secrets, and returns the number of tasks.
        private static func readList(with client: APIClient) async throws -> Int {
            struct Listed: Decodable {}
            var count = 0
            var following: String?
            repeat {
                let path = "/v1/tasks?page_size=40" + (following.map { "&page_token=\($0)" } ?? "")
                let response = try await ask(client, "GET", path)
                guard response.status == 200 else { throw UnexpectedResponse(response: response) }
                Canary.expectNone(in: response.head + response.text, of: path)
                let page = try TaskView.decoder.decode(ListPage<Listed>.self, from: Data(response.body))
                count += page.tasks.count
                following = page.nextPageToken
            } while following != nil
            return count
        }

        @Test("They are in no response, log line, command output or file of the store")
        func nowhere() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(SecretSessions.serve) { upstream in
                let sessions = SecretSessions(upstream: upstream.origin)
                let settings = Self.settings(sessions, keys: [Canary.encryptionKey])
                let process = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    for session in sessions.sessions {
                        for task in sessions.tasks(of: session.name) {
                            let created = try await Self.ask(client, "POST", "/v1/tasks?wait=1h", json: task)
                            #expect(created.status == 200, "\(task): \(created.text)")
                            Canary.expectNone(in: created.head + created.text, of: task)
                        }
                    }
                    let listed = try await Self.readList(with: client)
                    #expect(listed == sessions.sessions.map { sessions.tasks(of: $0.name).count }.reduce(0, +))
                    let paths = ["/v1/sessions", "/readyz", "/healthz", "/metrics", "/version", "/nope"]
                    for path in paths + sessions.sessions.map({ "/v1/sessions/\($0.name)" }) {
                        let response = try await Self.ask(client, "GET", path)
                        #expect(response.status == (path == "/nope" ? 404 : 200))
                        Canary.expectNone(in: response.head + response.text, of: path)
                    }
                    let wrong = try await Self.ask(
                        gateway.client(), "GET", "/v1/tasks", token: Canary.secret("wrong-token"))
                    #expect(wrong.status == 401)
                    Canary.expectNone(in: wrong.head + wrong.text, of: "a wrong token")
                    #expect(try Canary.found(inFilesOf: folder, below: "errand.db", "data") == [])
                    return gateway.process
                }
                let (_, output, errors) = await process.result()
                #expect(errors.contains("Listening"))
                Canary.expectNone(in: output + errors, of: "the log")
                for command in ["config", "check"] {
                    let result = try await Errand.run(command, "--config", folder["config.yaml"])
                    #expect(result.exit == .status(0))
                    Canary.expectNone(in: result.output + result.errors, of: command)
                }
                #expect(try Canary.found(inFilesOf: folder, below: "errand.db", "data") == [])
                // The upstream received them, and an unsealed store contains some.
                let sent = upstream.requests.events.map(\.head).joined(separator: "\n")
                for place in ["bearer", "own-header", "task-api-key", "task-cookie", "set-cookie", "api-key-query"] {
                    #expect(Canary.found(in: sent).contains(Canary.secret(place)), "\(place)")
                }
            }
        }

        @Test("Without a key the store contains the headers of tasks; with one added later, not those of later tasks")
        func keyGivenLater() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(SecretSessions.serve) { upstream in
                let sessions = SecretSessions(upstream: upstream.origin)
                func run(_ keys: [String], _ canary: String) async throws -> String {
                    try await withGateway(Self.settings(sessions, keys: keys), in: folder) { gateway in
                        let task = #"{"session":"cookies","path":"ok","headers":{"X-Api-Key":"\#(canary)"}}"#
                        let response = try await Self.ask(gateway.client(), "POST", "/v1/tasks?wait=1h", json: task)
                        return try TaskView(response, expecting: [200]).id
                    }
                }
                let (plain, sealed) = (Canary.secret("plain"), Canary.secret("sealed"))
                let ids = [try await run([], plain), try await run([Canary.encryptionKey], sealed)]
                let found = try Canary.found(inFilesOf: folder, below: "errand.db")
                #expect(found.contains(plain))
                #expect(!found.contains(sealed))
                let other = Data(repeating: 7, count: 32).base64EncodedString()
                let rotated = Self.settings(sessions, keys: [other, Canary.encryptionKey])
                try await withGateway(rotated, in: folder) { gateway in
                    for id in ids {
                        let response = try await Self.ask(gateway.client(), "GET", "/v1/tasks/\(id)")
                        #expect(try TaskView(response, expecting: [200]).state == "succeeded")
                    }
                }
                // Without the key the sealed task is unreadable, the other is not.
                try await withGateway(Self.settings(sessions, keys: [other]), in: folder) { gateway in
                    let client = try gateway.client()
                    let responses = [
                        try await Self.ask(client, "GET", "/v1/tasks/\(ids[0])"),
                        try await Self.ask(client, "GET", "/v1/tasks/\(ids[1])"),
                    ]
                    #expect(responses.map(\.status) == [200, 503])
                    #expect(responses[1].text.contains("store.encryption_keys"))
                    let list = try await Self.ask(client, "GET", "/v1/tasks")
                    #expect(list.status == 200)
                    #expect(list.text.contains(#""unreadable":"#))
                }
            }
        }

        @Test("A queued task with a missing key is reported at the start, and runs when the key is back")
        func missingKey() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(SecretSessions.serve) { upstream in
                var settings = Self.settings(
                    SecretSessions(upstream: upstream.origin), keys: [Canary.encryptionKey])
                settings.auth = []
                let id = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let suspended = try await client.post("/v1/sessions/cookies/suspend")
                    #expect(suspended.status == 200, "\(suspended.text)")
                    return try await client.create(#"{"session":"cookies","path":"ok"}"#).id
                }
                var without = settings
                without.store.removeLast()
                try await withGateway(without, in: folder) { gateway in
                    _ = try await gateway.process.logLine(containing: "missing in store.encryption_keys")
                    let resumed = try await gateway.client().post("/v1/sessions/cookies/resume")
                    #expect(resumed.status == 200)
                    // Other tasks are not blocked by it.
                    let other = try await gateway.client().run(#"{"session":"bearer","path":"ok"}"#)
                    #expect(other.state == "succeeded")
                }
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.finished(client.task(id)).state == "succeeded")
                }
            }
        }

        @Test("A crash reveals none, and leaves no core dump with memory")
        func crash() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(SecretSessions.serve) { upstream in
                let sessions = SecretSessions(upstream: upstream.origin)
                let settings = Self.settings(sessions, keys: [Canary.encryptionKey])
                var environment = ["ERRAND_TEST_SECRET": Canary.secret("environment")]
                // The runtime's crash handler starts a process that shares the memory of the crashed one. The thread
                // sanitizer takes it for a fork, and both processes change its state at once, so that it may exit with
                // its own status or hang.
                if Errand.sanitizer == .thread { environment["SWIFT_BACKTRACE"] = "enable=no" }
                let gateway = try await GatewayProcess(settings, in: folder, environment: environment)
                for task in sessions.tasks(of: "bearer") {
                    _ = try await Self.ask(gateway.client(), "POST", "/v1/tasks?wait=1h", json: task)
                }
                let id = gateway.process.id
                let limits = try String(contentsOfFile: "/proc/\(id)/limits", encoding: .utf8)
                let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
                #expect(core.split(separator: " ", omittingEmptySubsequences: true)[4] == "0")
                let filter = try String(contentsOfFile: "/proc/\(id)/coredump_filter", encoding: .utf8)
                #expect(filter.allSatisfy { $0 == "0" || $0 == "\n" })
                gateway.process.kill(SIGABRT)
                if Errand.sanitizer != .thread {
                    // The runtime prints a backtrace, and continues a process that did not abort itself.
                    _ = try? await gateway.process.logLine(containing: "Backtrace took")
                    gateway.process.kill(SIGKILL)
                }
                let (exit, output, errors) = await gateway.process.result()
                #expect(exit.isSignal, "\(exit): \(errors)")
                Canary.expectNone(in: output + errors, of: "the crash report")
            }
        }
    }
}
