import ErrandSupport
import Testing

extension Acceptance {
    @Suite("A session with httpbin")
    struct HTTPBinSessionTests {
        /// Runs a gateway with one session `bin`, with lines besides its base URL.
        private func withSession(_ lines: String..., body: (APIClient) async throws -> Void) async throws {
            let bin = try await HTTPBin.shared()
            var settings = GatewaySettings()
            let members = ["base_url: \"\(bin.origin)\""] + lines
            settings.sessions = ["bin: { \(members.joined(separator: ", ")) }"]
            try await withGateway(settings) { gateway in
                try await body(gateway.client())
            }
        }

        private func run(_ client: APIClient, _ path: String, _ more: String = "") async throws -> TaskView {
            try await client.run(#"{"session":"bin","path":"\#(path)"\#(more)}"#)
        }

        // MARK: Redirects and cookies

        @Test("A cookie set by a redirect is sent with the next request, and with the next task")
        func cookies() async throws {
            try await withSession { client in
                let task = try await run(client, "cookies/set?flavour=oat")
                #expect(task.state == "succeeded")
                #expect(task.response?.redirects == 1)
                #expect(task.response?.url.hasSuffix("/cookies") == true)
                #expect(task.response?.object == ["cookies": ["flavour": "oat"]])
                _ = try await run(client, "cookies/set?second=2")
                let both = try await run(client, "cookies")
                #expect(both.response?.object == ["cookies": ["flavour": "oat", "second": "2"]])
                _ = try await run(client, "cookies/delete?flavour")
                #expect(try await run(client, "cookies").response?.object == ["cookies": ["second": "2"]])
            }
        }

        @Test("Redirects are followed up to the limit, by the rules of their status")
        func redirects() async throws {
            try await withSession("redirects: { limit: 3 }") { client in
                let followed = try await run(client, "redirect/3")
                #expect(followed.state == "succeeded")
                #expect(followed.response?.redirects == 3)
                #expect(try await run(client, "absolute-redirect/2").response?.redirects == 2)
                #expect(try await run(client, "redirect/4").error?.code == "too_many_redirects")
                for (status, method, body) in [
                    (302, "GET", ""), (303, "GET", ""), (307, "POST", "again"), (308, "POST", "again"),
                ] {
                    let task = try await run(
                        client, "redirect-to?url=/anything&status_code=\(status)",
                        #","method":"POST","body":{"text":"again"}"#)
                    #expect(task.response?.object?["method"]?.string == method, "\(status)")
                    #expect(task.response?.object?["data"]?.string == body, "\(status)")
                }
            }
        }

        @Test("A refused redirect is the response, and an error")
        func refusedRedirect() async throws {
            try await withSession("redirects: { mode: refuse }") { client in
                let task = try await run(client, "redirect/1", #","response_serializer":"raw""#)
                #expect(task.state == "failed")
                #expect(task.error?.code == "redirect_refused")
                #expect(task.response?.status == 302)
                #expect(task.response?.redirects == 0)
            }
        }

        // MARK: Credentials

        @Test("Basic credentials are accepted, and shown nowhere")
        func basic() async throws {
            try await withSession("credentials: { basic: { username: someone, password: \"s3crät\" } }") { client in
                let task = try await run(client, "basic-auth/someone/s3cr%C3%A4t")
                #expect(task.state == "succeeded", "\(String(describing: task.error))")
                #expect(task.response?.object?["user"] == "someone")
                #expect(try await run(client, "hidden-basic-auth/someone/s3cr%C3%A4t").state == "succeeded")
                let other = try await run(client, "basic-auth/someone/else")
                #expect(other.error?.code == "unacceptable_status")
                #expect(other.response?.status == 401)
                // RFC 7617: UTF-8.
                let shown = try await client.get("/v1/tasks").text + client.get("/v1/sessions/bin").text
                #expect(!shown.contains("c29tZW9uZTpzM2Nyw6R0"))
                #expect(!shown.contains("s3crät"))
            }
        }

        @Test("Digest credentials answer the challenge")
        func digest() async throws {
            try await withSession("credentials: { digest: { username: someone, password: secret } }") { client in
                for algorithm in ["MD5", "SHA-256"] {
                    let path = "digest-auth/auth/someone/secret/\(algorithm)"
                    for _ in 0..<2 {
                        let task = try await run(client, path)
                        #expect(task.state == "succeeded", "\(String(describing: task.error))")
                        #expect(task.response?.object?["authenticated"] == true)
                        #expect(task.attempts.count == 1)
                    }
                    let wrong = try await run(client, "digest-auth/auth/someone/else/\(algorithm)")
                    #expect(wrong.response?.status == 401)
                }
                // RFC 7616 has SHA-512-256 but not SHA-512, so that challenge cannot be answered.
                let unknown = try await run(client, "digest-auth/auth/someone/secret/SHA-512")
                #expect(unknown.response?.status == 401)
            }
        }

        @Test("A bearer token, and an API key in the query")
        func tokens() async throws {
            try await withSession("credentials: { bearer: { token: \"a-token\" } }") { client in
                let task = try await run(client, "bearer")
                #expect(task.response?.object == ["authenticated": true, "token": "a-token"])
            }
            try await withSession("credentials: { api_key: { query: key, value: \"a key\" } }") { client in
                let task = try await run(client, "get?a=1")
                #expect(task.response?.object?["args"] == ["a": "1", "key": "a key"])
                #expect(task.response?.url.contains("a%20key") == false)
            }
            let key = "credentials: { api_key: { query: key, value: \"a key\" } }"
            try await withSession(key, "redirects: { mode: refuse }") { client in
                // Servers may repeat the query in a redirect.
                let task = try await run(client, "redirect-to?url=%2Fget%3Fa%3D1%26key%3Da%2520key%26b%3D2")
                let shown = try await client.get("/v1/tasks/\(task.id)").text
                #expect(shown.contains("/get?a=1&key=[redacted]&b=2"), "\(shown)")
            }
            try await withSession("credentials: { api_key: { header: X-Key, value: \"a key\" } }") { client in
                let task = try await run(client, "headers")
                #expect(task.response?.object?["headers"]?["X-Key"] == "a key")
            }
        }

        @Test("Credentials and header fields of the session stay on its origin: with redirects, and with absolute URLs")
        func otherOrigin() async throws {
            let other = try await HTTPBin.shared().otherOrigin
            try await withSession(
                "url_scope: any", "headers: { X-Own: mine }", "egress: { private_networks: allow }",
                "credentials: { basic: { username: someone, password: secret } }"
            ) { client in
                func headers(_ path: String, _ more: String = "") async throws -> JSONValue {
                    let task = try await run(client, path, more)
                    return try #require(task.response?.object?["headers"], "\(String(describing: task.error))")
                }
                let own = try await headers("headers")
                #expect(own["Authorization"] != nil)
                #expect(own["X-Own"] == "mine")
                let redirect = "redirect-to?url=\(other)/headers"
                for path in ["\(other)/headers", redirect] {
                    let sent = try await headers(path, #","headers":{"Authorization":null,"X-Task":"its"}"#)
                    #expect(sent["Authorization"] == nil, "\(path)")
                    #expect(sent["X-Own"] == nil, "\(path)")
                    #expect(sent["X-Task"] == "its", "\(path)")
                    #expect(try await headers(path)["Authorization"] == nil, "\(path)")
                }
                // Credentials of the task itself are sent to its own origin only.
                let authorization = #","headers":{"Authorization":"Bearer mine"}"#
                #expect(try await headers("\(other)/headers", authorization)["Authorization"] == "Bearer mine")
                #expect(try await headers(redirect, authorization)["Authorization"] == nil)
            }
        }

        // MARK: Compression

        @Test("Compressed content is declared as such, and decompresses to the original")
        func compression() async throws {
            try await withSession("request: { serializer: json, compress: gzip, compress_min: 1KiB }") { client in
                let text = String(repeating: "again and ", count: 500)
                let task = try await run(
                    client, "anything", #","method":"POST","parameters":{"text":"\#(text)"}"#)
                let echo = try #require(task.response?.object)
                #expect(echo["headers"]?["Content-Encoding"] == "gzip")
                #expect(echo["headers"]?["Content-Type"] == "application/json")
                // httpbin returns binary content as a data URL.
                let data = try #require(echo["data"]?.string)
                let decoded = try await ChildProcess(
                    "/bin/sh", ["-c", #"printf %s "${0#*base64,}" | base64 -d | gunzip"#, data]
                ).result()
                #expect(decoded.output == #"{"text":"\#(text)"}"# + "\n", "\(decoded.errors)")
                // Too small to compress.
                let small = try await run(client, "anything", #","method":"POST","parameters":{"text":"x"}"#)
                #expect(small.response?.object?["headers"]?["Content-Encoding"] == nil)
                #expect(small.response?.object?["data"] == #"{"text":"x"}"#)
            }
        }

        // MARK: Time

        @Test("A response that does not arrive in time is a timeout")
        func timeout() async throws {
            // It never arrives, so that only the timeout ends the task, however late its timer is.
            try await withUpstream({ connection in
                try connection.readRequest()
                connection.waitForClose()
            }) { silent in
                try await withSession(
                    "timeouts: { idle: 300ms }", "url_scope: any", "egress: { private_networks: allow }"
                ) { client in
                    let task = try await run(client, "\(silent.origin)/")
                    #expect(task.error?.code == "timed_out")
                    // Not with a short timeout: a busy machine may need more time.
                    #expect(try await run(client, "get", #","timeouts":{"idle":"1h"}"#).state == "succeeded")
                }
            }
        }
    }
}
