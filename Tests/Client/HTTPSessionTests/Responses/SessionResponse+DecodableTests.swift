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

    private enum PlanError: Error {
        case expired
    }

    /// A value that refuses all content.
    private struct Plan: Decodable {
        init(from decoder: any Decoder) throws {
            throw PlanError.expired
        }
    }

    /// A value that reads all members, whatever their names.
    private struct Counts: Decodable {
        private struct Key: CodingKey {
            let stringValue: String
            let intValue: Int?

            init?(stringValue: String) {
                self.stringValue = stringValue
                intValue = Int(stringValue)
            }

            init?(intValue: Int) {
                stringValue = "\(intValue)"
                self.intValue = intValue
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys { _ = try container.decode(Int.self, forKey: key) }
        }
    }

    /// A value with a name that would be a line of its own in a log.
    private struct Odd: Decodable {
        enum CodingKeys: String, CodingKey {
            case name = "xml:name"
        }

        var name: String
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

    /// Expects that JSON cannot be decoded, with an error that has this place.
    private func expect(_ detail: String, decoding body: String, as type: (some Decodable).Type) async throws {
        let response = try await response(body)
        let error = #expect(throws: SessionError.self) { _ = try response.decoded(as: type) }
        #expect(error?.message == "The content cannot be decoded as \(type): \(detail)")
    }

    @Test("names in the place of an error no key that is content")
    func keys() async throws {
        typealias Members = [String: Team.Member]
        try await expect("[…].name is not of type String", decoding: #"{"a\nb@x":{"name":7}}"#, as: Members.self)
        try await expect("[…] has no member name", decoding: #"{"a\nb@x":{}}"#, as: Members.self)
        try await expect("[…][1] is not of type Int", decoding: #"{"4111":[1,{}]}"#, as: [Int: [Int]].self)
        try await expect("[…] is not of type Int", decoding: #"{"a@x":"b"}"#, as: Counts.self)
        try await expect("[…] is not of type Int", decoding: #"{"7":"b"}"#, as: Counts.self)
    }

    @Test("names a member as it is declared, whatever the name")
    func unusual() async throws {
        try await expect("the top-level value has no member xml:name", decoding: "{}", as: Odd.self)
    }

    @Test("fails with the error of the decoder, or of the type itself, as the cause")
    func causes() async throws {
        let response = try await response("[]")
        let mismatch = #expect(throws: SessionError.self) { try response.decoded(as: Team.self) }
        #expect(mismatch?.cause is DecodingError)
        let refused = #expect(throws: SessionError.self) { try response.decoded(as: Plan.self) }
        #expect(refused == SessionError(.unparsableBody, "The content cannot be decoded as Plan"))
        #expect(refused?.cause as? PlanError == .expired)
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
