import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("The configuration is reloaded")
    struct ReloadTests {
        private static let json = ["Content-Type: application/json"]

        // MARK: Pins

        @Test(
            "With another pin the same task is refused before a request is sent, while running tasks succeed",
            .enabled(if: TLSFront.isInstalled))
        func pins() async throws {
            let gate = Gate()
            let factory = try CertificateFactory()
            let identity = try await factory.issue("good", extensions: CertificateFactory.server("IP:127.0.0.1"))
            let other = try await factory.issue("other", extensions: CertificateFactory.server("IP:127.0.0.1"))
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                if try connection.readRequest().line.contains("/long ") {
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
                    gate.wait()
                    try connection.send("}")
                } else {
                    try connection.respond("200 OK", Self.json, body: "{}")
                }
            }) { upstream in
                let front = try await TLSFront.start(before: upstream, identity, in: folder)
                func settings(_ pin: CertificateFactory.Identity) -> GatewaySettings {
                    var settings = GatewaySettings(upstream: front.origin)
                    let trust = "ca_file: \(identity.certificateFile), pinning: public_key"
                    settings.session = ["security: { \(trust), pins: [\(pin.certificateFile)] }"]
                    return settings
                }
                try await withGateway(settings(identity), in: folder) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.run(#"{"session":"up","path":"first"}"#).state == "succeeded")
                    let long = try await client.create(#"{"session":"up","path":"long"}"#)
                    _ = await upstream.requests.first(2)

                    try folder.write(settings(other).yaml(folder), to: "config.yaml")
                    gateway.process.kill(SIGHUP)
                    let line = try await gateway.process.logLine(containing: #""message":"Configuration reloaded""#)
                    #expect(line.contains("sessions.up.security"))
                    #expect(!line.contains(other.certificateFile))
                    let refused = try await client.run(#"{"session":"up","path":"refused"}"#)
                    #expect(refused.state == "failed")
                    #expect(refused.error?.code == "pin_mismatch")
                    #expect(upstream.requests.events.count == 2, "no request was sent")

                    gate.open()
                    let finished = try await client.finished(long)
                    #expect(finished.state == "succeeded")
                    #expect(finished.attempts.count == 1)

                    try folder.write(settings(identity).yaml(folder), to: "config.yaml")
                    #expect(try await client.reload().changed.contains { $0.hasPrefix("sessions.up.security") })
                    #expect(try await client.run(#"{"session":"up","path":"again"}"#).state == "succeeded")
                }
                await front.stop()
            }
        }

        // MARK: The server's certificate

        @Test("New connections get a renewed certificate after a reload, and the former one while its files are broken")
        func renewedCertificate() async throws {
            let folder = try TemporaryFolder()
            let certificates = try (0..<2).map { try TestCertificate("CN=\($0)", .server) }
            func install(_ certificate: TestCertificate, key: TestCertificate? = nil) throws -> String {
                let chain = try folder.write(String(decoding: certificate.pem(), as: UTF8.self), to: "certificate.pem")
                let file = try folder.write(
                    String(decoding: (key ?? certificate).keyPEM(), as: UTF8.self), to: "key.pem")
                return "tls: { certificate: \(chain), key: \(file) }"
            }
            var settings = GatewaySettings()
            settings.server = [try install(certificates[0])]
            try await withGateway(settings, in: folder) { gateway in
                let open = try await RawHTTPClient.tls(port: gateway.port)
                let health = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\n\r\n"
                #expect(try await open.exchange(health).status == 200)
                _ = try install(certificates[1], key: certificates[0])
                gateway.process.kill(SIGHUP)
                _ = try await gateway.process.logLine(containing: "Configuration not reloaded")
                let early = try await RawHTTPClient.tls(port: gateway.port)
                #expect(early.serverCertificate == (try certificates[0].der()))
                _ = try install(certificates[1])
                gateway.process.kill(SIGHUP)
                let line = try await gateway.process.logLine(containing: #""message":"Configuration reloaded""#)
                #expect(line.contains("server.tls"))
                let late = try await RawHTTPClient.tls(port: gateway.port)
                #expect(late.serverCertificate == (try certificates[1].der()))
                for client in [open, early, late] { #expect(try await client.exchange(health).status == 200) }
            }
        }

        // MARK: All or nothing

        @Test("An invalid file changes nothing, and all its problems are in the log and in the response")
        func badFile() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(ScriptedServer.accepting) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin)
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    var bad = settings
                    bad.session = ["timeouts: { idle: fast }"]
                    bad.dispatcher = ["max_running: 0"]
                    try folder.write(bad.yaml(folder), to: "config.yaml")
                    let problem = try ProblemView(await client.post("/v1/config:reload"))
                    #expect(problem.status == 422)
                    #expect(problem.type == "/problems/invalid-configuration")
                    #expect(
                        problem.errors?.map(\.pointer) == ["/dispatcher/max_running", "/sessions/up/timeouts/idle"])
                    bad.session = ["timeouts: { idle: slow }"]
                    try folder.write(bad.yaml(folder), to: "config.yaml")
                    gateway.process.kill(SIGHUP)
                    _ = try await gateway.process.logLine(containing: "slow")
                    #expect(try await client.run(#"{"session":"up"}"#).state == "succeeded")
                    try folder.write(settings.yaml(folder), to: "config.yaml")
                    let reloaded = try await client.reload()
                    #expect(reloaded.changed.isEmpty)
                    #expect(reloaded.restartRequired.isEmpty)
                }
            }
        }

        @Test("Settings that need a restart are reported and not applied; the log level changes at once")
        func restartRequired() async throws {
            let folder = try TemporaryFolder()
            let settings = GatewaySettings()
            try await withGateway(settings, in: folder) { gateway in
                let client = try gateway.client()
                var other = settings
                other.server = ["max_headers: 64KiB"]
                other.logLevel = "error"
                try folder.write(other.yaml(folder), to: "config.yaml")
                let silenced = try await client.reload()
                #expect(silenced.restartRequired == ["server.max_headers"])
                #expect(silenced.changed == ["logging.level"])
                other.logLevel = "notice"
                other.dispatcher = ["drain: 1s"]
                try folder.write(other.yaml(folder), to: "config.yaml")
                let reloaded = try await client.reload()
                #expect(reloaded.restartRequired == ["server.max_headers"])
                #expect(reloaded.changed == ["dispatcher.drain", "logging.level"])
                let line = try await gateway.process.logLine(containing: #""message":"Configuration reloaded""#)
                #expect(
                    line.contains("dispatcher.drain"), "nothing was said of the first, by the level that it brought")
                _ = try await gateway.process.logLine(containing: "require a restart")
                _ = try await gateway.process.logLine(containing: "server.max_headers")
            }
        }

        // MARK: Load

        @Test("Two thousand tasks all succeed, each sent once, while the configuration is reloaded twenty times")
        func underLoad() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(ScriptedServer.accepting) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin)
                try await withGateway(settings, in: folder) { gateway in
                    let tasks = try await withThrowingTaskGroup(of: [TaskView].self) { group in
                        for sender in 0..<4 {
                            group.addTask {
                                let client = try gateway.client()
                                var tasks: [TaskView] = []
                                for index in 0..<500 {
                                    tasks.append(
                                        try await client.create(#"{"session":"up","path":"\#(sender)-\#(index)"}"#))
                                }
                                return tasks
                            }
                        }
                        let reloading = try gateway.client()
                        for round in 1...20 {
                            var other = settings
                            other.session = ["limits: { concurrent: \(round) }", "timeouts: { idle: \(round)m }"]
                            try folder.write(other.yaml(folder), to: "config.yaml")
                            #expect(try await reloading.reload().changed.isEmpty == false)
                        }
                        return try await group.reduce(into: []) { $0 += $1 }
                    }
                    let client = try gateway.client()
                    for task in tasks { #expect(try await client.finished(task).state == "succeeded") }
                    let lines = upstream.requests.events.map(\.line)
                    #expect(lines.count == 2000)
                    #expect(Set(lines).count == 2000)
                }
            }
        }
    }
}

/// The response to a reload.
struct ReloadView: Decodable, Sendable {
    var changed: [String]
    var restartRequired: [String]
}

extension APIClient {
    /// Makes the gateway reload its configuration.
    func reload() async throws -> ReloadView {
        let response = try await post("/v1/config:reload")
        guard response.status == 200 else { throw UnexpectedResponse(response: response) }
        return try TaskView.decoder.decode(ReloadView.self, from: Data(response.body))
    }
}
