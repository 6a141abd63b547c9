import ErrandSupport
import Testing

extension Acceptance {
    @Suite("The settings of a session")
    struct SessionSettingsTests {
        private static let wrong = """
            server: { listen: "127.0.0.1:0" }
            files: { data: data, uploads: [] }
            sessions:
              one:
                base_url: http://127.0.0.1:1/
                request: { serializer: from, arrays: [brackets] }
                response: { serializer: [json, pdf], disposition: { over_limit: become_downlod } }
                credentials: { basic: { username: u, password: p }, bearer: { token: t } }
                connection: { proxy: "ftp://127.0.0.1/" }
                timeouts: { suspended_keep: soon }
                cookies: eternal
                redirects: { mode: follow, limt: 3 }
              two:
                url_scope: any
                credentials: { digest: { username: u, password: "" } }
                reachability: { probe: tcp }
                response: { serializer: xml, disposition: { max_body: 1GiB } }
            """

        @Test("All faults are reported at once, with location and expectation, and nothing starts")
        func problems() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(Self.wrong, to: "config.yaml")
            for command in ["check", "serve"] {
                let result = try await Errand.run(command, "--config", file, directory: folder.path)
                #expect(result.exit == .status(78))
                #expect(result.output == "")
                let problems = result.errors.split(separator: "\n").filter { $0.hasPrefix("\(file):") }
                let expected = [
                    "2:31: files.uploads: expected path of a directory, found a list",
                    "6:28: sessions.one.request.serializer: expected form, json, plist, multipart or raw, found \"from\"; did you mean form?",
                    "6:42: sessions.one.request.arrays: expected brackets, indices, repeat or comma, found a list",
                    "7:36: sessions.one.response.serializer[1]:",
                    "7:69: sessions.one.response.disposition.over_limit: expected fail or become_download, found \"become_downlod\"",
                    "8:18: sessions.one.credentials:",
                    "9:26: sessions.one.connection.proxy:",
                    "10:33: sessions.one.timeouts.suspended_keep: expected a duration such as 30s, found \"soon\"",
                    "11:14: sessions.one.cookies: expected off, ephemeral or persistent, found \"eternal\"",
                    "12:32: sessions.one.redirects.limt: unknown setting; did you mean limit?",
                    "15:53: sessions.two.credentials.digest.password:",
                    "16:28: sessions.two.reachability.probe:",
                    "17:59: sessions.two.response.disposition.max_body:",
                ]
                for place in expected {
                    #expect(problems.contains { $0.hasPrefix("\(file):\(place)") }, "\(place)\n\(result.errors)")
                }
                #expect(problems.count == expected.count, "\(result.errors)")
            }
        }

        private static let secrets = ["pass-word", "client-secret", "proxy-word", "key-value", "secret-key"]

        @Test("The command and the gateway show the effective settings with defaults, and without secrets")
        func redaction() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            let base = "base_url: \"http://127.0.0.1:1\""
            settings.sessions = [
                "a: { \(base), credentials: { basic: { username: u, password: pass-word } } }",
                "b: { \(base), credentials: { oauth2: { token_url: \"http://127.0.0.1:1/t\", client_id: i, client_secret: client-secret } } }",
                "c: { \(base), connection: { proxy: \"http://u:proxy-word@127.0.0.1:1\" } }",
                "d: { \(base), credentials: { api_key: { header: X-Key, value: key-value } } }",
                "e: { \(base), credentials: { aws_sigv4: { region: r, service: s3, access_key: id, secret_key: secret-key } } }",
            ]
            try await withGateway(settings, in: folder) { gateway in
                let told = try await gateway.client().get("/v1/sessions")
                let printed = try await Errand.run("config", "--config", folder["config.yaml"])
                #expect(told.status == 200)
                #expect(printed.exit == .status(0))
                for text in [told.text, printed.output] {
                    for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
                    #expect(text.contains("[redacted]"))
                    for setting in [
                        "suspended_keep", "hold_when_unreachable", "keep_method_on_301_302", "multipart_throttle",
                    ] {
                        #expect(text.contains(setting), "\(setting)")
                    }
                }
            }
        }
    }
}
