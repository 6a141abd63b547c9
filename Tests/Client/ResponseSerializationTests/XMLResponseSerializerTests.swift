import ErrandResponseSerialization
import Testing

@Suite("The XML response serializer")
struct XMLResponseSerializerTests {
    private let serializer = XMLResponseSerializer()

    private func tree(_ text: String) -> String {
        #"xml: made anew: {"name":"a","attributes":{},"children":["\#(text)"]}"#
    }

    @Test("converts a document to a tree")
    func document() throws {
        let content = #"<a b="1" xmlns:n="urn:n"> <n:c/>x</a>"#
        let child = #"{"name":"c","namespace":"urn:n","attributes":{},"children":[]}"#
        #expect(
            try serializer.text(content)
                == #"xml: made anew: {"name":"a","attributes":{"b":"1"},"children":[" ",\#(child),"x"]}"#)
    }

    @Test("uses the charset of the content type, else of the declaration")
    func charset() throws {
        let russian: [UInt8] = Array("<a>".utf8) + [0xCF, 0xF0, 0xE8] + Array("</a>".utf8)
        #expect(try serializer.text(russian, "text/xml; charset=windows-1251") == tree("При"))
        let declaration = Array(#"<?xml version="1.0" encoding="windows-1251"?>"#.utf8)
        #expect(try serializer.text(declaration + russian, "text/xml") == tree("При"))
        #expect(try serializer.text(declaration + russian, "text/xml; charset=koi8-r") == tree("оПХ"))
    }

    @Test("fails for content that is malformed in its charset")
    func malformedCharset() {
        let content: [UInt8] = Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)
        for contentType in ["text/xml", "text/xml; charset=gbk"] {
            let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content, contentType) }
            #expect(error?.kind == .unparsable)
        }
    }

    @Test("fails for invalid XML and reports the position")
    func malformed() {
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text("<a>\n</b>") }
        #expect(error?.kind == .unparsable)
        #expect(error?.message.hasPrefix("The content is not valid XML: ") == true)
        #expect(error?.message.contains("line 2") == true)
    }

    static let children = String(repeating: "<b/>", count: 300)
    static let attributes = (0..<300).map { " p:a\($0)=''" }.joined()

    @Test(
        "refuses a namespace that the JSON would have, escaped, for each of many names",
        arguments: [("<a xmlns='", "'>\(children)</a>"), ("<a xmlns:p='", "'\(attributes)/>")])
    func repeatedNamespace(start: String, end: String) throws {
        // Each quotation mark has two bytes in JSON.
        let content = start + String(repeating: "\"", count: 2000) + end
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
        #expect(error?.kind == .unparsable)
        let message =
            "The content cannot be converted to JSON, which would have more than 1048576 bytes, the limit for "
            + "\(content.utf8.count) bytes of content"
        #expect(error?.message == message)
        let short = start + String(repeating: "\"", count: 1500) + end
        #expect(try serializer.text(short).utf8.count > 900_000)
    }

    @Test("refuses a namespace that the tree would have for each of many names")
    func longNamespace() {
        let content = "<a xmlns='\(String(repeating: "n", count: 4000))'>\(Self.children)</a>"
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content) }
        #expect(error?.message.contains("more than 1048576 bytes of names and text") == true)
    }

    @Test("returns no object for empty content")
    func empty() throws {
        #expect(try serializer.text([], "text/xml") == "xml")
    }
}
