import ErrandSupport
import HTTPSession
import Testing

@Suite("Decoding a response", .timeLimit(.hang))
struct SessionResponseDecodableTests {
    private struct Team: Decodable, Equatable {
        struct Member: Decodable, Equatable {
            var name: String
            var age: Int8?
            var role: Role?
        }

        enum Role: String, Decodable {
            case lead
        }

        var members: [Member]
    }

    private func response(
        _ body: String, type: String = "application/json", serializer: ResponseSerializerChoice = .json
    ) async throws -> SessionResponse {
        let server = try ScriptedServer { _ in ScriptedResponse(fields: ["Content-Type: \(type)"], body: body) }
        defer { server.stop() }
        return try await Session.patient(server.origin).get(
            "", options: RequestOptions(responseSerializer: serializer))
    }

    @Test("returns the content as a value")
    func decoded() async throws {
        let response = try await response(#"{"members":[{"name":"Ada"},{"name":"Bo","age":7}]}"#)
        #expect(try response.decoded() == Team(members: [.init(name: "Ada"), .init(name: "Bo", age: 7)]))
    }

    @Test(
        "fails with the place of the error, without quoting content",
        arguments: [
            (#"{}"#, "the top-level value has no member members"),
            (#"{"members":[{"name":"Ada"},{"age":1}]}"#, "members[1] has no member name"),
            (#"{"members":[{"name":7}]}"#, "members[0].name is not of type String"),
            (#"{"members":[{"name":null}]}"#, "members[0].name is null instead of a value of type String"),
            (#"{"members":"hush"}"#, "members is not of type Array<Any>"),
            (#"{"members":[{"name":"Ada","role":"hush"}]}"#, "members[0].role is invalid"),
            (#"{"members":[{"name":"Ada","age":300}]}"#, "a value in it is invalid"),
        ])
    func places(body: String, detail: String) async throws {
        let response = try await response(body)
        let error = #expect(throws: SessionError.self) { try response.decoded(as: Team.self) }
        #expect(error == SessionError(.unparsableBody, "The content cannot be decoded as Team: \(detail)"))
    }

    @Test("reads the JSON that a serializer made of a property list")
    func propertyList() async throws {
        let plist = """
            <?xml version="1.0"?><plist version="1.0"><dict><key>members</key><array>\
            <dict><key>name</key><string>Ada</string></dict></array></dict></plist>
            """
        let response = try await response(plist, type: "application/x-plist", serializer: .plist)
        #expect(try response.decoded(as: Team.self) == Team(members: [.init(name: "Ada")]))
    }

    @Test("reads content that no serializer has read")
    func raw() async throws {
        let response = try await response("[1,2]", type: "text/plain", serializer: .raw)
        #expect(response.json == nil)
        #expect(try response.decoded(as: [Int].self) == [1, 2])
        let error = #expect(throws: SessionError.self) { try response.decoded(as: [String].self) }
        #expect(error?.message == "The content cannot be decoded as Array<String>: [0] is not of type String")
    }

    @Test("fails for content that is not JSON")
    func noJSON() async throws {
        let response = try await response("hush", type: "text/plain", serializer: .raw)
        let error = #expect(throws: SessionError.self) { try response.decoded(as: Int.self) }
        #expect(error?.message == "The content cannot be decoded as Int: a value in it is invalid")
    }

    @Test(
        "of empty content, or of a single space, returns nil for an optional type, and fails otherwise",
        arguments: ["", " "])
    func empty(body: String) async throws {
        let response = try await response(body)
        #expect(try response.decoded(as: Team?.self) == nil)
        let error = #expect(throws: SessionError.self) { try response.decoded(as: Team.self) }
        #expect(error == SessionError(.unparsableBody, "There is no content to decode as Team"))
    }
}
