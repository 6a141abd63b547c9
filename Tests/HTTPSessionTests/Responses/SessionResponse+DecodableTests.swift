import HTTPSession
import Support
import Testing

@Suite("A response as a value of Swift")
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
        let server = try ScriptedServer { _ in Answer(fields: ["Content-Type: \(type)"], body: body) }
        defer { server.stop() }
        return try await Session(baseURL: server.origin).get(
            "", options: RequestOptions(responseSerializer: serializer))
    }

    @Test("is what the content says")
    func decoded() async throws {
        let response = try await response(#"{"members":[{"name":"Ada"},{"name":"Bo","age":7}]}"#)
        #expect(try response.decoded() == Team(members: [.init(name: "Ada"), .init(name: "Bo", age: 7)]))
    }

    @Test(
        "fails with the place of what is wrong, and without what is there",
        arguments: [
            (#"{}"#, "the value at the top has no member members"),
            (#"{"members":[{"name":"Ada"},{"age":1}]}"#, "members[1] has no member name"),
            (#"{"members":[{"name":7}]}"#, "members[0].name is not of type String"),
            (#"{"members":[{"name":null}]}"#, "members[0].name is null where a value of type String belongs"),
            (#"{"members":"hush"}"#, "members is not of type Array<Any>"),
            (#"{"members":[{"name":"Ada","role":"hush"}]}"#, "members[0].role cannot be read"),
            (#"{"members":[{"name":"Ada","age":300}]}"#, "something in it cannot be read"),
        ])
    func places(body: String, detail: String) async throws {
        let response = try await response(body)
        let error = #expect(throws: SessionError.self) { try response.decoded(as: Team.self) }
        #expect(error == SessionError(.unparsableBody, "The content is no Team: \(detail)"))
    }

    @Test("is decoded from the JSON that a serializer makes of a property list")
    func propertyList() async throws {
        let plist = """
            <?xml version="1.0"?><plist version="1.0"><dict><key>members</key><array>\
            <dict><key>name</key><string>Ada</string></dict></array></dict></plist>
            """
        let response = try await response(plist, type: "application/x-plist", serializer: .plist)
        #expect(try response.decoded(as: Team.self) == Team(members: [.init(name: "Ada")]))
    }

    @Test("is decoded from content that nothing has read")
    func raw() async throws {
        let response = try await response("[1,2]", type: "text/plain", serializer: .raw)
        #expect(response.json == nil)
        #expect(try response.decoded(as: [Int].self) == [1, 2])
        let error = #expect(throws: SessionError.self) { try response.decoded(as: [String].self) }
        #expect(error?.message == "The content is no Array<String>: [0] is not of type String")
    }

    @Test("cannot be made of content that is no JSON")
    func noJSON() async throws {
        let response = try await response("hush", type: "text/plain", serializer: .raw)
        let error = #expect(throws: SessionError.self) { try response.decoded(as: Int.self) }
        #expect(error?.message == "The content is no Int: something in it cannot be read")
    }

    @Test("of no content is nil when it may be, and an error otherwise")
    func empty() async throws {
        let response = try await response("")
        #expect(try response.decoded(as: Team?.self) == nil)
        let error = #expect(throws: SessionError.self) { try response.decoded(as: Team.self) }
        #expect(error == SessionError(.unparsableBody, "There is no content to make a Team of"))
    }
}
