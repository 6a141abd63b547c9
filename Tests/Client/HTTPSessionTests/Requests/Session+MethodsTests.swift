import ErrandSupport
import HTTPSession
import Testing

@Suite("The HTTP methods as calls", .timeLimit(.hang))
struct SessionMethodsTests {
    private let server: ScriptedServer
    private let api: Session

    init() throws {
        server = try ScriptedServer { request in
            request.line.hasPrefix("HEAD")
                ? ScriptedResponse(fields: ["Content-Type: image/png"]) : .json(#"{"n":1.10}"#)
        }
        api = try Session.patient(server.origin + "/v1")
    }

    /// Makes a call, and returns the request that the server received.
    private func request(_ call: (Session) async throws -> SessionResponse) async throws -> ScriptedRequest {
        defer { server.stop() }
        let response = try await call(api)
        #expect(response.head.status == 200)
        return try #require(await server.requests.first(1).first)
    }

    @Test("get")
    func get() async throws {
        let request = try await request { api in
            let response = try await api.get("users", parameters: ["b": [1, nil], "a": "x y"], headers: ["X-A": "1"])
            #expect(response.json.map { String(decoding: $0, as: UTF8.self) } == #"{"n":1.10}"#)
            return response
        }
        #expect(request.line == "GET /v1/users?a=x%20y&b%5B%5D=1&b%5B%5D HTTP/1.1")
        #expect(request["X-A"] == "1")
        #expect(request.body.isEmpty)
    }

    @Test("head, which has no content whatever its type")
    func head() async throws {
        let request = try await request { api in
            let response = try await api.head("users", parameters: ["a": 1])
            #expect(response.json == nil)
            #expect(response.head.headers[.contentType] == "image/png")
            return response
        }
        #expect(request.line == "HEAD /v1/users?a=1 HTTP/1.1")
    }

    @Test("post, with parameters as a form by default")
    func post() async throws {
        let request = try await request { try await $0.post("users", parameters: ["ok": true, "n": 1.5]) }
        #expect(request.line == "POST /v1/users HTTP/1.1")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.text == "n=1.5&ok=1")
    }

    @Test("put, with a body as given")
    func put() async throws {
        let request = try await request { try await $0.put("users/1", body: .text("héllo")) }
        #expect(request.line == "PUT /v1/users/1 HTTP/1.1")
        #expect(request["Content-Type"] == "text/plain; charset=utf-8")
        #expect(request.text == "héllo")
    }

    @Test("patch, with parameters as JSON on request")
    func patch() async throws {
        let request = try await request {
            try await $0.patch(
                "users/1", parameters: ["b": nil, "a": -0.0], options: RequestOptions(requestSerializer: .json))
        }
        #expect(request.line == "PATCH /v1/users/1 HTTP/1.1")
        #expect(request["Content-Type"] == "application/json")
        #expect(request.text == #"{"b":null,"a":-0.0}"#)
    }

    @Test("delete, with parameters in the URL")
    func delete() async throws {
        let request = try await request { try await $0.delete("users/1", parameters: ["force": true]) }
        #expect(request.line == "DELETE /v1/users/1?force=1 HTTP/1.1")
    }

    @Test("any other method that the session allows")
    func options() async throws {
        let request = try await request { try await $0.request(.options, "users") }
        #expect(request.line == "OPTIONS /v1/users HTTP/1.1")
    }

    @Test("no method that the session does not allow")
    func refused() async throws {
        defer { server.stop() }
        let error = await #expect(throws: SessionError.self) { try await api.request(.trace, "users") }
        #expect(error?.code == .methodNotAllowed)
    }

    @Test("parts of a form")
    func parts() async throws {
        let request = try await request {
            try await $0.post(
                "files",
                body: .parts([
                    TaskPart("title", .text("T")),
                    TaskPart("data", .bytes([1, 2]), filename: "a\"b", contentType: "a/b"),
                ]))
        }
        let type = try #require(request["Content-Type"])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        #expect(
            request.text == """
                --\(boundary)\r
                Content-Disposition: form-data; name="title"\r
                \r
                T\r
                --\(boundary)\r
                Content-Disposition: form-data; name="data"; filename="a%22b"\r
                Content-Type: a/b\r
                \r
                \u{1}\u{2}\r
                --\(boundary)--\r

                """)
    }
}
