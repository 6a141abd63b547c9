import ErrandJSON
import Testing

@testable import ErrandPropertyList

@Suite("Property lists as JSON")
struct PropertyListJSONTests {
    private static func json(_ value: PropertyListValue) -> String {
        String(decoding: PropertyListJSON.write(value), as: UTF8.self)
    }

    @Test("Numbers are exact")
    func numbers() throws {
        #expect(Self.json(.integer(.max)) == "170141183460469231731687303715884105727")
        #expect(Self.json(.integer(-1)) == "-1")
        #expect(Self.json(.real(PropertyListReal(0.1))) == "0.1")
        #expect(Self.json(.real(try #require(PropertyListReal("1.10")))) == "1.10")
        #expect(Self.json(.real(try #require(PropertyListReal("+1.10")))) == "1.10")
        #expect(Self.json(.real(try #require(PropertyListReal(".5")))) == "0.5")
    }

    @Test("Numbers that JSON does not have are strings")
    func notNumbers() {
        #expect(Self.json(.real(PropertyListReal(.nan))) == #""NaN""#)
        #expect(Self.json(.real(PropertyListReal(.infinity))) == #""Infinity""#)
        #expect(Self.json(.real(PropertyListReal(-.infinity))) == #""-Infinity""#)
    }

    @Test("Data is Base64 with padding")
    func data() {
        // RFC 4648 §10.
        for (text, base64) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Self.json(.data(Array(text.utf8))) == "\"\(base64)\"")
        }
    }

    @Test("Dictionaries keep their order and repeated keys, and every text is escaped")
    func dictionaries() {
        let value = PropertyListValue.dictionary([
            PropertyListEntry("b", .array([])), PropertyListEntry("a\"", .string("\n")),
            PropertyListEntry("b", .dictionary([])),
        ])
        #expect(Self.json(value) == #"{"b":[],"a\"":"\n","b":{}}"#)
    }

    @Test("A text above a limit is not written")
    func limit() {
        let value = PropertyListValue.array([
            .string("\u{1}"), .dictionary([PropertyListEntry("a", .boolean(true))]),
        ])
        let text = PropertyListJSON.write(value)
        #expect(PropertyListJSON.write(value, maxBytes: text.count) == text)
        #expect(PropertyListJSON.write(value, maxBytes: text.count - 1) == nil)
        #expect(PropertyListJSON.write(value, maxBytes: 0) == nil)
    }

    @Test("A text, a key or data that exceeds a limit only as JSON is not even begun")
    func notBegun() {
        let controls = String(repeating: "\u{1}", count: 1000)
        let rows: [(value: PropertyListValue, bytes: Int)] = [
            (.string(controls), 6002), (.array([.string(controls)]), 6004),
            (.dictionary([PropertyListEntry(controls, .boolean(true))]), 6009),
            (.data([UInt8](repeating: 0, count: 1000)), 1338),
        ]
        for (value, bytes) in rows {
            #expect(PropertyListJSON.write(value, maxBytes: bytes)?.count == bytes)
            #expect(PropertyListJSON.write(value, maxBytes: bytes - 1) == nil)
            var writer = JSONWriter()
            let isWritten = PropertyListJSON.write(value, to: &writer, maxBytes: 1100)
            #expect(!isWritten)
            // The bracket of an array or a dictionary at most.
            #expect(writer.bytes.count <= 1)
        }
        #expect(PropertyListJSON.write(.string(""), maxBytes: .min) == nil)
    }
}
