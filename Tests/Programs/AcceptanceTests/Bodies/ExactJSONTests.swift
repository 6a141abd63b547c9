import ErrandSupport
import Testing

extension Acceptance {
    @Suite("A JSON response is passed on exactly")
    struct ExactJSONTests {
        private static let documents = [
            #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#,
            #"{ "b" : [ 1e400 , -0.0 , 0.1000 ] , "\u0061" : "\/\ud83d\ude00" }"#,
            "[\n\t1 ,\r\n 2.50 ]",
        ]

        @Test("Numbers, duplicate names, escapes and spaces come back byte for byte", arguments: documents)
        func exact(document: String) async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.respond("200 OK", ["Content-Type: application/json"], body: document)
            }) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin)
                let id = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"up","path":"x"}"#)
                    #expect(task.state == "succeeded")
                    try await expect(document, task.id, client)
                    return task.id
                }
                // From disk: the process that created the task has ended.
                try await withGateway(settings, in: folder) { gateway in
                    try await expect(document, id, gateway.client())
                }
            }
        }

        private func expect(_ document: String, _ id: String, _ client: APIClient) async throws {
            let member = #","object":\#(document),"body":"#
            #expect(try await client.get("/v1/tasks/\(id)").text.contains(member))
            #expect(try await client.get("/v1/tasks").text.contains(member))
            #expect(try await client.get("/v1/tasks/\(id)/body").body == Array(document.utf8))
        }

        @Test("An object too large for the list is complete in the task, and marked as omitted in the list")
        func large() async throws {
            let document = #"{"text":"\#(String(repeating: "x", count: 10_000))","n":1.0}"#
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.respond("200 OK", ["Content-Type: application/json"], body: document)
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"up","path":"x"}"#)
                    #expect(try await client.get("/v1/tasks/\(task.id)").text.contains(#""object":\#(document)"#))
                    let listed = try await client.list().tasks.first
                    #expect(listed?.response?.objectOmitted == true)
                    #expect(listed?.response?.body?.size == document.utf8.count)
                }
            }
        }

        @Test("A top-level number, string or null is refused unless the session allows it")
        func fragments() async throws {
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.respond("200 OK", ["Content-Type: application/json"], body: "1.10")
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.sessions = [
                    "loose: { base_url: \(upstream.origin), response: { json: { allow_fragments: true } } }"
                ]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let refused = try await client.run(#"{"session":"up","path":"x"}"#)
                    #expect(refused.error?.code == "unparsable_body")
                    let allowed = try await client.run(#"{"session":"loose","path":"x"}"#)
                    #expect(allowed.state == "succeeded")
                    #expect(try await client.get("/v1/tasks/\(allowed.id)").text.contains(#""object":1.10,"#))
                }
            }
        }
    }
}
