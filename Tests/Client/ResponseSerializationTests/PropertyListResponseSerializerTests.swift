import ErrandResponseSerialization
import Testing

@Suite("The property list response serializer")
struct PropertyListResponseSerializerTests {
    private let serializer = PropertyListResponseSerializer()

    @Test("converts XML to JSON")
    func xml() throws {
        let content = "<plist><dict><key>n</key><integer>07</integer><key>d</key><data>AP8=</data></dict></plist>"
        #expect(try serializer.text(content) == #"plist: made anew: {"n":7,"d":"AP8="}"#)
    }

    /// The output of Python's plistlib for a dictionary with an array of one value of each kind.
    private let binary: [UInt8] = [
        0x62, 0x70, 0x6C, 0x69, 0x73, 0x74, 0x30, 0x30, 0xD1, 0x01, 0x02, 0x51, 0x61, 0xA5, 0x03, 0x04,
        0x05, 0x06, 0x07, 0x10, 0x01, 0x23, 0x40, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0x42,
        0x00, 0xFF, 0x61, 0x00, 0xE9, 0x08, 0x0B, 0x0D, 0x13, 0x15, 0x1E, 0x1F, 0x22, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x25,
    ]

    @Test("converts the binary format to JSON, whatever the content type is")
    func binaryFormat() throws {
        let expected = #"plist: made anew: {"a":[1,2.5,true,"AP8=","é"]}"#
        #expect(try serializer.text(binary, "application/x-plist; charset=utf-16") == expected)
    }

    @Test("reads XML in the charset of the content type")
    func charset() throws {
        let content = Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8)
        #expect(try serializer.text(content, "application/x-plist; charset=windows-1251") == #"plist: made anew: "й""#)
    }

    @Test(
        "fails for content that is not a property list",
        arguments: ["nonsense", "<plist>", "<a/>", "<plist><array><b/></array></plist>", "bplist00", "bplist99"])
    func fails(content: String) {
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
        #expect(error?.kind == .unparsable)
        #expect(error?.message.hasPrefix("The content is not a valid property list: ") == true)
    }

    @Test(
        "names the line and column of a fault of the XML, but no key of a dictionary",
        arguments: [
            ("<plist>\n <dict></array>\n</plist>", "mismatched tag (line 2, column 10)"),
            ("<plist><dict><key>hunter2</key><b/></dict></plist>", "unknown element in a property list"),
        ])
    func place(content: String, fault: String) {
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
        #expect(error?.message == "The content is not a valid property list: \(fault)")
    }

    private func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Returns a binary property list of objects, of which the first is the outermost.
    private func file(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += bigEndian(bytes.count, 2)
            bytes += object
        }
        let tableOffset = bytes.count
        bytes += table
        bytes += [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [objects.count, 0, tableOffset] { bytes += bigEndian(number, 8) }
        return bytes
    }

    /// Returns an array of references to the same object.
    private func array(_ count: Int, of object: UInt8) -> [UInt8] {
        var array: [UInt8] = [0xAF, 0x11]
        array += bigEndian(count, 2)
        array += [UInt8](repeating: object, count: count)
        return array
    }

    @Test("refuses a property list that refers to a value so often that the JSON would be too large")
    func repeatedText() throws {
        // Each control character has six bytes in JSON.
        let text: [UInt8] = [0x5F, 0x11] + bigEndian(1000, 2) + [UInt8](repeating: 1, count: 1000)
        let content = file([array(300, of: 1), text])
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
        #expect(error?.kind == .unparsable)
        let message =
            "The content cannot be converted to JSON, which would have more than 1048576 bytes, the limit for "
            + "\(content.count) bytes of content"
        #expect(error?.message == message)
        #expect(try serializer.text(file([array(170, of: 1), text])).utf8.count > 1_000_000)
    }

    @Test("refuses a property list that refers to its arrays so often that it would have too many values")
    func repeatedArrays() {
        let content = file([array(129, of: 1), array(129, of: 2), [0x09]])
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
        #expect(
            error?.message
                == "The content is not a valid property list: more than 16384 values and keys (at byte 274)")
    }

    @Test("returns no object for empty content")
    func empty() throws {
        #expect(try serializer.text([]) == "plist")
    }
}
