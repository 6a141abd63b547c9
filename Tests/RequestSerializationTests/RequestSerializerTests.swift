import RequestSerialization
import Testing
import Transfer

@Suite("The request serializers")
struct RequestSerializerTests {
    @Test("have the names that configurations use")
    func names() {
        #expect(RequestSerializerKind.allCases.map(\.rawValue) == ["form", "json", "plist", "multipart", "raw"])
    }

    @Test(
        "of forms make empty content with its type when there are no parameters",
        arguments: [
            RequestSerializerKind.form, .multipart,
        ])
    func forms(kind: RequestSerializerKind) throws {
        let content = try kind.serializer().serialize(nil)
        #expect(content.text == "")
        #expect(content.contentType == "application/x-www-form-urlencoded")
    }

    @Test(
        "of values make no content and no type when there are no parameters",
        arguments: [
            RequestSerializerKind.json, .plist, .raw,
        ])
    func values(kind: RequestSerializerKind) throws {
        #expect(try kind.serializer().serialize(nil).isNothing)
    }

    @Test("take an array at the top for JSON and property lists only", arguments: RequestSerializerKind.allCases)
    func arrays(kind: RequestSerializerKind) {
        let takesIt = (try? kind.serializer().serialize("[1]")) != nil
        #expect(takesIt == (kind == .json || kind == .plist))
    }

    @Test("take no lone value at the top", arguments: RequestSerializerKind.allCases, ["1", #""a""#, "true", "null"])
    func fragments(kind: RequestSerializerKind, parameters: String) {
        #expect(throws: RequestSerializationError.self) { try kind.serializer().serialize(parameters) }
    }

    @Test(
        "make the same of one set of parameters however often",
        arguments: [
            RequestSerializerKind.form, .json, .plist,
        ])
    func isDeterministic(kind: RequestSerializerKind) throws {
        let serializer = kind.serializer()
        let parameters = #"{"b":[1,2],"a":{"d":"x","c":true}}"#
        let text = try #require(try serializer.serialize(parameters).text)
        #expect(try serializer.serialize(parameters).text == text)
    }

    @Test("of raw bodies say that a body is to be given instead of parameters")
    func raw() {
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.raw.serializer().serialize("{}")
        }
        #expect(error?.message == "The raw serializer makes no content of parameters; give a body")
    }
}
