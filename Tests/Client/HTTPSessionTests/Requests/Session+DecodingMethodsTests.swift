import ErrandSupport
import FoundationEssentials
import HTTPSession
import Testing

@Suite("The HTTP methods with decoded responses", .timeLimit(.hang))
struct SessionDecodingMethodsTests {
    private struct User: Codable, Hashable {
        var id: Int
        var name: String
    }

    private let ada = User(id: 1, name: "Ada")

    /// Calls a server that always gives the same response, and returns the request that it received.
    private func requests<Value>(
        response: ScriptedResponse, _ call: (Session) async throws -> Value, expecting value: Value
    ) async throws -> ScriptedRequest where Value: Equatable {
        let server = try ScriptedServer { _ in response }
        defer { server.stop() }
        #expect(try await call(Session.patient(server.origin)) == value)
        return try #require(await server.requests.first(1).first)
    }

    private let response = ScriptedResponse.json(#" {"name":"Ada","id":1,"more":[1]} "#)

    @Test("get")
    func get() async throws {
        let request = try await requests(
            response: .json(#"[{"id":1,"name":"Ada"}]"#),
            { try await $0.get("users", parameters: ["page": 2], as: [User].self) }, expecting: [ada])
        #expect(request.line == "GET /users?page=2 HTTP/1.1")
    }

    @Test("post, with an encoded value")
    func post() async throws {
        let request = try await requests(
            response: response, { try await $0.post("users", body: .encoding(ada), as: User.self) }, expecting: ada)
        #expect(request.line == "POST /users HTTP/1.1")
        #expect(request["Content-Type"] == "application/json")
        #expect(request.text == #"{"id":1,"name":"Ada"}"#)
    }

    @Test("put")
    func put() async throws {
        let request = try await requests(
            response: response, { try await $0.put("users/1", body: .encoding(ada), as: User.self) }, expecting: ada)
        #expect(request.line == "PUT /users/1 HTTP/1.1")
    }

    @Test("patch")
    func patch() async throws {
        let request = try await requests(
            response: response, { try await $0.patch("users/1", parameters: ["name": "Ada"], as: User.self) },
            expecting: ada)
        #expect(request.line == "PATCH /users/1 HTTP/1.1")
        #expect(request.text == "name=Ada")
    }

    @Test("delete, which often has no content")
    func delete() async throws {
        let request = try await requests(
            response: ScriptedResponse(status: "200 OK", fields: []),
            { try await $0.delete("users/1", as: User?.self) }, expecting: nil)
        #expect(request.line == "DELETE /users/1 HTTP/1.1")
    }

    @Test("any other")
    func other() async throws {
        let request = try await requests(
            response: .json("[7]"), { try await $0.request(.options, "n", as: [Int].self) }, expecting: [7])
        #expect(request.line == "OPTIONS /n HTTP/1.1")
    }

    @Test("with the given decoder")
    func decoder() async throws {
        struct Item: Decodable, Equatable, Sendable {
            var firstName: String
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        _ = try await requests(
            response: .json(#"{"first_name":"Ada"}"#), { try await $0.get("", as: Item.self, decoder: decoder) },
            expecting: Item(firstName: "Ada"))
    }

    @Test("fail like those without decoding if the response is not a success")
    func failure() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "404 Not Found", body: #"{"id":1,"name":"Ada"}"#)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) { try await api.get("", as: User.self) }
        #expect(error == SessionError(.unacceptableStatus, "The status is 404 (Not Found); expected 200-299"))
    }
}
