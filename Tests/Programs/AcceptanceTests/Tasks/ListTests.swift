import ErrandSupport
import Testing

extension Acceptance {
    @Suite("The list of tasks")
    struct ListTests {
        private func withAnsweringUpstream(
            _ body: (GatewayProcess, APIClient) async throws -> Void
        ) async throws {
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    let status = request.line.contains("/missing") ? "404 Not Found" : "200 OK"
                    try connection.respond(status, ["Content-Type: application/json"], body: "{}")
                }
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    try await body(gateway, gateway.client())
                }
            }
        }

        @Test("Pages are newest first, and unaffected by tasks created meanwhile")
        func pages() async throws {
            try await withAnsweringUpstream { _, client in
                var ids: [String] = []
                for _ in 0..<10 { ids.append(try await client.run(#"{"session":"up"}"#).id) }
                var read: [String] = []
                var token: String?
                repeat {
                    let page = try await client.list("?page_size=3" + (token.map { "&page_token=\($0)" } ?? ""))
                    #expect(page.tasks.count <= 3)
                    read += page.tasks.map(\.id)
                    token = page.nextPageToken
                    _ = try await client.run(#"{"session":"up"}"#)
                } while token != nil
                #expect(read == ids.reversed())
            }
        }

        @Test("Each filter selects its tasks, and all together their intersection")
        func filters() async throws {
            try await withAnsweringUpstream { _, client in
                let good = try await client.run(#"{"session":"up","labels":{"team":"a","n":"1"}}"#)
                let bad = try await client.run(#"{"session":"up","path":"missing","labels":{"team":"a","n":"2"}}"#)
                let other = try await client.run(#"{"session":"raw","labels":{"team":"b"}}"#)
                let expected: [(String, [String])] = [
                    ("", [other.id, bad.id, good.id]),
                    ("?state=failed", [bad.id]),
                    ("?state=failed&state=succeeded", [other.id, bad.id, good.id]),
                    ("?state=queued", []),
                    ("?session=raw", [other.id]),
                    ("?session=absent", []),
                    ("?kind=data", [other.id, bad.id, good.id]),
                    ("?kind=upload", []),
                    ("?label.team=a", [bad.id, good.id]),
                    ("?label.team=a&label.n=1", [good.id]),
                    ("?label.team=c", []),
                    ("?session=up&state=succeeded&label.team=a", [good.id]),
                    ("?created_after=2100-01-01T00:00:00Z", []),
                    ("?created_before=2100-01-01T00:00:00Z", [other.id, bad.id, good.id]),
                    ("?created_before=2001-01-01T00:00:00Z", []),
                    ("?created_after=-1d&created_before=2100-01-01", [other.id, bad.id, good.id]),
                    ("?finished_after=-1d", [other.id, bad.id, good.id]),
                    ("?finished_before=-1d", []),
                    ("?finished_after=-1d&state=failed", [bad.id]),
                    ("?schedule=nightly", []),
                    ("?retried=false", [other.id, bad.id, good.id]),
                    ("?retried=true", []),
                    ("?error=unacceptable_status", [bad.id]),
                    ("?error=timed_out", []),
                    ("?status=404", [bad.id]),
                    ("?status=4xx&method=GET", [bad.id]),
                    ("?status=2xx&session=up", [good.id]),
                    ("?method=post", []),
                ]
                for (query, ids) in expected {
                    #expect(try await client.list(query).tasks.map(\.id) == ids, "\(query)")
                }
            }
        }

        @Test("A page token is refused with other filters")
        func foreignToken() async throws {
            try await withAnsweringUpstream { _, client in
                for _ in 0..<3 { _ = try await client.run(#"{"session":"up"}"#) }
                let token = try #require(try await client.list("?page_size=1&session=up").nextPageToken)
                #expect(try await client.list("?page_size=2&session=up&page_token=\(token)").tasks.count == 2)
                let problem = try ProblemView(await client.get("/v1/tasks?page_size=1&page_token=\(token)"))
                #expect(problem.status == 400)
            }
        }

        @Test("A session has the number of its tasks in each state")
        func sessions() async throws {
            try await withAnsweringUpstream { _, client in
                _ = try await client.run(#"{"session":"up"}"#)
                _ = try await client.run(#"{"session":"up","path":"missing"}"#)
                let session = try await client.get("/v1/sessions/up")
                #expect(session.status == 200)
                #expect(session.text.contains(#""succeeded":1,"failed":1"#))
                #expect(try await client.get("/v1/sessions").text.contains(#""name":"raw""#))
                #expect(try ProblemView(await client.get("/v1/sessions/absent")).status == 404)
            }
        }
    }
}
