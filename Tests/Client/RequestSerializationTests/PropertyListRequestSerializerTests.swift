import ErrandRequestSerialization
import Foundation
import Testing

@Suite("The property list serializer")
struct PropertyListRequestSerializerTests {
    @Test("creates XML that Foundation reads, with its type")
    func content() throws {
        let content = try RequestSerializerKind.plist.serializer().serialize(
            #"{"name":"a < b","count":3,"price":1.10,"tags":["x",true],"inner":{"empty":[]}}"#)
        #expect(content.contentType == "application/x-plist")
        let text = try #require(content.text)
        #expect(text.hasPrefix(#"<?xml version="1.0" encoding="UTF-8"?>"#))
        #expect(text.contains("<real>1.10</real>"))
        let list = try #require(
            PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil) as? NSDictionary)
        #expect(list["name"] as? String == "a < b")
        #expect(list["count"] as? Int == 3)
        #expect(list["price"] as? Double == 1.1)
        #expect((list["tags"] as? [Any])?.first as? String == "x")
        #expect((list["tags"] as? [Any])?.last as? Bool == true)
        #expect((list["inner"] as? [String: Any])?["empty"] as? [String] == [])
    }

    @Test("accepts a top-level array")
    func array() throws {
        let text = try #require(try RequestSerializerKind.plist.serializer().serialize("[1,2]").text)
        #expect(try PropertyListDecoder().decode([Int].self, from: Data(text.utf8)) == [1, 2])
    }

    @Test(
        "refuses values that a property list cannot contain",
        arguments: [#"{"a":null}"#, #"{"a":"\u0000"}"#, "1", "null", "{", #"{"a":1,"a":2}"#])
    func refuses(parameters: String) {
        #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.plist.serializer().serialize(parameters)
        }
    }

    @Test("reports the position of a refused null")
    func place() {
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.plist.serializer().serialize(#"{"a":[1,null]}"#)
        }
        #expect(error?.message.hasPrefix("The parameters cannot be encoded as a property list: ") == true)
        #expect(error?.message.contains("/a/1") == true)
        #expect(error?.pointer == ["a", "1"])
    }

    @Test("refuses indentation of excessive size")
    func amplification() {
        // 7 kB would become 1.6 MB.
        let parameters =
            String(repeating: "[", count: 500) + "0" + String(repeating: ",0", count: 3000)
            + String(repeating: "]", count: 500)
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.plist.serializer().serialize(parameters)
        }
        let message =
            "The parameters cannot be encoded as a property list: "
            + "expected a property list of at most 1048576 bytes, found at least "
        #expect(error?.message.hasPrefix(message) == true)
        #expect(error?.pointer == Array(repeating: "0", count: 499))
    }

    @Test("refuses markup of excessive size")
    func markup() {
        // Each element of 2 bytes becomes a line of 22 bytes: 120 kB would become 1.3 MB.
        let parameters = "[0" + String(repeating: ",0", count: 60_000) + "]"
        #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.plist.serializer().serialize(parameters)
        }
    }
}
