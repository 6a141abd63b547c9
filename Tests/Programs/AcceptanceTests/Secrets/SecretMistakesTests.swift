import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Secrets in invalid input")
    struct SecretMistakesTests {
        private static let secret = Canary.secret("misplaced")

        /// Configurations with a mistake at, or next to, a secret.
        private static let configurations: [String] = {
            let sections = [
                "auth: { tokens: [{ name: t, token: canary-short }] }", "auth: { tokens: [\(secret)] }",
                "auth: { tokens: \(secret) }", "auth: \(secret)",
                "auth: { tokens: [{ name: t, sha256: \(secret) }] }",
                "auth: { tokens: [{ name: t, token: [\(secret)] }] }",
                "auth: { tokens: [{ name: t, tokn: \(secret) }] }",
                "auth: { tokens: [{ name: t, token: \(secret), token: \(secret) }] }",
                "store: { encryption_keys: [\(secret)] }", "store: { encryption_keys: \(secret) }",
                "store: { encryption_keys: { a: \(secret) } }", "store: { encryption_keys: [[\(secret)]] }",
                "store: { encryption_keys: [\"\(Canary.encryptionKey)=\"] }",
                "sessions: { a: { base_url: \"ftp://u:\(secret)@h/\" } }",
                "sessions: { a: { base_url: \"http://u:\(secret)@h/\" } }",
                "sessions: { a: { base_url: \"http://h:\(secret)@/\" } }",
                "auth:\n\ttokens: \(secret)",
            ]
            let settings = [
                "credentials: \(secret)", "credentials: { bearer: \(secret) }", "credentials: { basic: \(secret) }",
                "credentials: { basic: [\(secret)] }", "credentials: { basic: { username: u, pasword: \(secret) } }",
                "credentials: { basic: { username: u, password: { x: \(secret) } } }",
                "credentials: { bearer: { token: \"\(secret)\\u0001\" } }",
                "credentials: { api_key: { header: \"no name\", value: \(secret) } }",
                "credentials: { api_key: { header: X, query: q, value: \(secret) } }",
                "credentials: { api_key: \(secret) }", "credentials: { oauth2: \(secret) }",
                "credentials: { oauth2: { token_url: \"http://u:\(secret)@h/\", client_id: i, client_secret: \(secret) } }",
                "credentials: { aws_sigv4: \(secret) }", "credentials: { bearer: { token: \(secret), x: \(secret) } }",
                "credentials: { nonsense: \(secret) }", "credentials: [{ bearer: \(secret) }]",
                "credentials: { bearer: { token: \"\(secret)", "credentials: { bearer: { token: \(secret): x } }",
                "credentials: { bearer: { token: &t \(secret), <<: *t } }",
                "credentials: { bearer: { token: \"\(secret) ${NOT_SET_ANYWHERE}\" } }",
                "credentials: { bearer: { token: !\(secret) } }", "credentials: { bearer: { token: !!\(secret) } }",
                "credentials: { bearer: { token: \"${IN_ENVIRONMENT}\", token: x } }",
                "connection: { proxy: \"http://u:\(secret)@127.0.0.1:99999\" }",
                "connection: { proxy: \"ftp://u:\(secret)@127.0.0.1\" }",
                "connection: { proxy: [\"http://u:\(secret)@127.0.0.1\"] }",
                "connection: { proxy: \"u:\(secret)@127.0.0.1\" }", "connection: { proxy: \"http://u:\(secret)@[\" }",
                "headers: { Authorization: [\(secret)] }", "headers: { Authorization: \"\(secret)\\n\" }",
                "headers: { \"X Y\": \(secret) }", "headers: [\"Authorization: \(secret)\"]",
                "headers: \"Authorization: \(secret)\"", "headers: { Host: \(secret) }",
                "security: { client_certificate: { certificate: /none.pem, password: \(secret) } }",
                "security: { client_certificate: { certificate: /none.pem, password: [\(secret)] } }",
                "security: { client_certificate: { certificate: /none.pem, pasword: \(secret) } }",
            ].map { "sessions:\n  a: { base_url: \"http://h/\", \($0) }" }
            return (sections + settings).map { "server: { listen: \"127.0.0.1:0\" }\n\($0)\n" }
        }()

        @Test("An invalid configuration is reported with locations and without its secrets")
        func configuration() async throws {
            let folder = try TemporaryFolder()
            for text in Self.configurations {
                let file = try folder.write(text, to: "config.yaml")
                for command in ["check", "serve"] {
                    let result = try await Errand.run(
                        command, "--config", file, environment: ["IN_ENVIRONMENT": Canary.secret("environment")],
                        directory: folder.path)
                    #expect(result.exit == .status(78), "\(text)")
                    #expect(result.errors.contains("\(file):"), "\(result.errors)")
                    Canary.expectNone(in: result.output + result.errors, of: text)
                }
            }
        }

        @Test("The wrong password of a key is not reported")
        func keyPassword() async throws {
            let folder = try TemporaryFolder()
            let arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj",
                "/CN=c",
                "-keyout", folder["key.pem"], "-out", folder["certificate.pem"], "-passout",
            ]
            let password = Canary.secret("key-password")
            let made = try await ChildProcess("/usr/bin/env", arguments + ["pass:\(password)"]).result()
            #expect(made.exit == .status(0), "\(made.errors)")
            for (given, status) in [(password, Int32(0)), (Canary.secret("other-password"), 78)] {
                let certificate = "certificate: \(folder["certificate.pem"]), key: \(folder["key.pem"])"
                var settings = GatewaySettings()
                settings.sessions = [
                    """
                    tls: { base_url: "https://127.0.0.1:1/", security: { client_certificate: \
                    { \(certificate), password: \(given) } } }
                    """
                ]
                let file = try folder.write(settings.yaml(folder), to: "config.yaml")
                for command in ["check", "config"] {
                    let result = try await Errand.run(command, "--config", file)
                    #expect(result.exit == .status(status), "\(result.errors)")
                    Canary.expectNone(in: result.output + result.errors, of: command)
                }
            }
        }

        /// Tasks with a mistake at, or next to, a secret.
        private static let tasks = [
            #"{"session":"up","headers":{"Authorization":["\#(secret)"]}}"#,
            #"{"session":"up","headers":{"Authorization":"\#(secret)\n"}}"#,
            #"{"session":"up","headers":{"Authori zation":"\#(secret)"}}"#,
            #"{"session":"up","headers":{"Host":"\#(secret)"}}"#, #"{"session":"up","headers":"\#(secret)"}"#,
            #"{"session":"up","headers":{"Cookie":{"a":"\#(secret)"}}}"#,
            #"{"session":"up","headers":{"Authorization":"\#(secret)""#,
            #"{"session":"up","credentials":"\#(secret)"}"#, #"{"session":"up","password":{"a":"\#(secret)"}}"#,
            #"{"session":"up","path":"http://u:\#(secret)@127.0.0.1/"}"#,
            #"{"session":"up","path":"ftp://u:\#(secret)@127.0.0.1/"}"#,
        ]

        @Test("An invalid task is reported without its secrets, in the response and in the log")
        func task() async throws {
            var settings = GatewaySettings()
            settings.logLevel = "trace"
            let process = try await withGateway(settings) { gateway in
                for task in Self.tasks {
                    let response = try await gateway.client().post("/v1/tasks", json: task)
                    #expect([400, 422].contains(response.status), "\(task): \(response.text)")
                    Canary.expectNone(in: response.head + response.text, of: task)
                }
                return gateway.process
            }
            let (_, output, errors) = await process.result()
            Canary.expectNone(in: output + errors, of: "the log")
        }
    }
}
