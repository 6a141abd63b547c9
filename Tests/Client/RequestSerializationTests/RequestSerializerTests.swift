import ErrandRequestSerialization
import ErrandTransfer
import Testing

@Suite("The request serializers")
struct RequestSerializerTests {
    @Test("have the names used in configurations")
    func names() {
        #expect(RequestSerializerKind.allCases.map(\.rawValue) == ["form", "json", "plist", "multipart", "raw"])
    }

    @Test(
        "of forms return empty content with its type without parameters",
        arguments: [
            RequestSerializerKind.form, .multipart,
        ])
    func forms(kind: RequestSerializerKind) throws {
        let content = try kind.serializer().serialize(nil)
        #expect(content.text == "")
        #expect(content.contentType == "application/x-www-form-urlencoded")
    }

    @Test(
        "of values return no content and no type without parameters",
        arguments: [
            RequestSerializerKind.json, .plist, .raw,
        ])
    func values(kind: RequestSerializerKind) throws {
        #expect(try kind.serializer().serialize(nil).isNothing)
    }

    @Test("accept a top-level array only for JSON and property lists", arguments: RequestSerializerKind.allCases)
    func arrays(kind: RequestSerializerKind) {
        let takesIt = (try? kind.serializer().serialize("[1]")) != nil
        #expect(takesIt == (kind == .json || kind == .plist))
    }

    @Test("accept no top-level scalar", arguments: RequestSerializerKind.allCases, ["1", #""a""#, "true", "null"])
    func fragments(kind: RequestSerializerKind, parameters: String) {
        #expect(throws: RequestSerializationError.self) { try kind.serializer().serialize(parameters) }
    }

    @Test(
        "return the same content for the same parameters each time",
        arguments: [
            RequestSerializerKind.form, .json, .plist,
        ])
    func isDeterministic(kind: RequestSerializerKind) throws {
        let serializer = kind.serializer()
        let parameters = #"{"b":[1,2],"a":{"d":"x","c":true}}"#
        let text = try #require(try serializer.serialize(parameters).text)
        #expect(try serializer.serialize(parameters).text == text)
    }

    @Test("of raw bodies ask for a body instead of parameters")
    func raw() {
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.raw.serializer().serialize("{}")
        }
        #expect(error?.message == "The raw serializer does not accept parameters; give a body")
    }
}
