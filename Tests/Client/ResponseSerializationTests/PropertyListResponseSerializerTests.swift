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

    @Test("returns no object for empty content")
    func empty() throws {
        #expect(try serializer.text([]) == "plist")
    }
}
