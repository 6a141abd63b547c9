import ErrandPropertyList
import Testing

@Suite("Property lists")
struct PropertyListDocumentTests {
    @Test("All kinds of values are parsed from both formats as written by another implementation")
    func fixtures() throws {
        #expect(try json(PropertyListFixtures.binary) == PropertyListFixtures.json)
        #expect(try json(PropertyListFixtures.xml) == PropertyListFixtures.json)
    }

    @Test("The first bytes determine the format")
    func formats() throws {
        #expect(try PropertyListDocument.parse(PropertyListFixtures.binary).format == .binary)
        #expect(try PropertyListDocument.parse(PropertyListFixtures.xml).format == .xml)
        #expect(PropertyListFormat(of: []) == .xml)
        #expect(PropertyListFormat(of: Array("bplis".utf8)) == .xml)
        #expect(PropertyListFormat(of: Array("bplist".utf8)) == .binary)
    }

    @Test("UIDs become the dictionaries of the XML format")
    func identifiers() throws {
        let expected = #"[{"CF$UID":1},{"CF$UID":300},{"CF$UID":1099511627776}]"#
        #expect(try json(PropertyListFixtures.identifiers) == expected)
    }

    @Test("A date keeps its fraction of a second")
    func fraction() throws {
        #expect(try json(PropertyListFixtures.fraction) == #"["2026-11-21T07:40:00.5Z"]"#)
    }

    @Test("Empty input, and other formats, are rejected")
    func foreign() {
        for text in [
            "", " ", "{ a = 1; }", "null", "bplist", "bplist00", "bplist15" + String(repeating: " ", count: 50),
        ] {
            #expect(refusal(Array(text.utf8)) != nil, "\(text)")
        }
    }

    @Test("A truncated property list is rejected, wherever it ends")
    func cutOff() {
        let trimmed = Array(PropertyListFixtures.xml.dropLast())
        for whole in [PropertyListFixtures.binary, trimmed] {
            #expect(refusal(whole) == nil)
            for count in 0..<whole.count where refusal(Array(whole.prefix(count))) == nil {
                Issue.record("the first \(count) bytes are accepted")
            }
        }
    }

    @Test("The charset of the content type is applied to the XML")
    func charset() throws {
        let bytes = Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8)
        #expect(refusal(bytes) != nil)
        #expect(try PropertyListDocument.parse(bytes, encoding: "ISO-8859-1").root == .string("é"))
    }
}
