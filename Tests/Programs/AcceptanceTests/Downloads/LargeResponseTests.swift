import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Responses above the limit of content")
    struct LargeResponseTests {
        /// Answers each request with content whose status, type and size its query has.
        @Sendable private static func answer(_ connection: ScriptedConnection) throws {
            while true {
                let request = try connection.readRequest()
                let query = request.line.split(separator: " ")[1].split(separator: "?").last ?? ""
                let parts = query.split(separator: "&")
                guard parts.count == 3, let size = Int(parts[2]) else { return }
                let body = "[" + String(repeating: " ", count: size - 2) + "]"
                // The client may end a response that is too large.
                do {
                    try connection.respond("\(parts[0]) Text", ["Content-Type: \(parts[1])"], body: body)
                } catch {
                    return
                }
            }
        }

        private static func document(_ session: String, _ query: String) -> String {
            #"{"session":"\#(session)","path":"in?\#(query)"}"#
        }

        @Test("With the defaults a raw session receives content of any size, and a JSON session at most 8 MiB")
        func defaults() async throws {
            try await withUpstream(Self.answer) { server in
                var settings = GatewaySettings(upstream: server.origin)
                settings.sessions = [
                    "plain: { base_url: '\(server.origin)/', request: { serializer: raw }, response: { serializer: raw } }",
                    "capped: { base_url: '\(server.origin)/', response: { serializer: raw, disposition: { max_body: 8MiB } } }",
                ]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let size = 9 << 20
                    let whole = try await client.run(Self.document("plain", "200&text/plain&\(size)"))
                    #expect(whole.state == "succeeded")
                    #expect(whole.response?.body?.size == size)
                    for (session, query) in [
                        ("plain", "404&text/plain&\(size)"), ("capped", "200&text/plain&\(size)"),
                        ("up", "200&application/json&\(size)"),
                    ] {
                        let failed = try await client.run(Self.document(session, query))
                        #expect(failed.error?.code == "body_too_large", "\(session) \(query)")
                        #expect(failed.response?.body == nil)
                    }
                }
            }
        }

        @Test("With become_download, large content and content of some types is the body of the task, and is not read")
        func becomeDownload() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.answer) { server in
                var settings = GatewaySettings(upstream: server.origin)
                settings.session = [
                    """
                    response: { disposition: { max_body: 1KiB, over_limit: become_download, \
                    become_download_types: [application/zip, video/*] } }
                    """
                ]
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let small = try await client.run(Self.document("up", "200&application/json&1024"))
                    #expect(small.response?.object == .array([]))
                    #expect(small.response?.serializer == "json")
                    for query in ["200&application/json&1025", "200&application/zip&100", "200&video/mp4&5000"] {
                        let large = try await client.run(Self.document("up", query))
                        #expect(large.state == "succeeded", "\(query)")
                        #expect(large.response?.object == nil)
                        #expect(large.response?.serializer == "raw")
                        #expect(large.response?.body?.size == query.split(separator: "&").last.flatMap { Int($0) })
                    }
                    let failures = [
                        ("500&application/json&1025", "body_too_large"), ("500&application/zip&1025", "body_too_large"),
                        ("200&text/html&100", "unacceptable_content_type"),
                        ("500&application/zip&9", "unacceptable_status"),
                    ]
                    for (query, code) in failures {
                        #expect(try await client.run(Self.document("up", query)).error?.code == code, "\(query)")
                    }
                }
            }
        }

        @Test("With unacceptable: cancel, the content of a response that is not acceptable is not transferred")
        func unacceptable() async throws {
            try await withUpstream(Self.answer) { server in
                var settings = GatewaySettings(upstream: server.origin)
                settings.session = ["response: { disposition: { unacceptable: cancel } }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let size = 9 << 20
                    for (query, code) in [
                        ("404&application/json&\(size)", "unacceptable_status"),
                        ("200&text/html&\(size)", "unacceptable_content_type"),
                    ] {
                        let refused = try await client.run(Self.document("up", query))
                        #expect(refused.error?.code == code)
                        #expect(refused.response?.status == Int(query.prefix(3)))
                        #expect(refused.response?.body == nil)
                        #expect(refused.progress.download.completed == 0)
                    }
                    #expect(try await client.run(Self.document("up", "200&application/json&9")).state == "succeeded")
                }
            }
        }
    }
}
