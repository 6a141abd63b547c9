import ErrandJSON
import ErrandXML
import Testing

@testable import ErrandResponseSerialization

@Suite("XML as JSON")
struct XMLTreeWriterTests {
    private static func json(_ xml: String, _ limits: XMLLimits = XMLLimits()) throws -> String {
        let document = try XMLDocument.parse(Array(xml.utf8), limits: limits)
        let json = try XMLTreeWriter.write(document, within: ConversionLimit(contentBytes: xml.utf8.count))
        return String(decoding: json, as: UTF8.self)
    }

    @Test("An element always has name, attributes and children")
    func element() throws {
        #expect(try Self.json("<a/>") == #"{"name":"a","attributes":{},"children":[]}"#)
    }

    @Test("Children are strings and elements in the order of the document")
    func children() throws {
        let expected =
            #"{"name":"p","attributes":{},"children":["one ",{"name":"b","attributes":{},"children":["two"]},"#
            + #"" three\n",{"name":"br","attributes":{},"children":[]}]}"#
        #expect(try Self.json("<p>one <b>two</b> three\n<br/></p>") == expected)
    }

    @Test("Namespaces follow the name of an element, and precede that of an attribute in braces")
    func namespaces() throws {
        let expected =
            #"{"name":"list","namespace":"urn:l","attributes":{"id":"7","{urn:x}id":"8","#
            + #""{http://www.w3.org/XML/1998/namespace}lang":"en"},"#
            + #""children":[{"name":"i","namespace":"urn:l","attributes":{},"children":[]},"#
            + #"{"name":"i","attributes":{},"children":[]}]}"#
        let xml = #"<list xmlns="urn:l" xmlns:x="urn:x" id="7" x:id="8" xml:lang="en"><i/><i xmlns=""/></list>"#
        #expect(try Self.json(xml) == expected)
    }

    @Test("Values are always strings, escaped as JSON requires")
    func values() throws {
        let expected = #"{"name":"a","attributes":{"n":"1.0","q":"\"\\"},"children":["true\t\"é😀\\"]}"#
        #expect(try Self.json("<a n='1.0' q='&quot;\\'>true&#9;\"é😀\\</a>") == expected)
    }

    @Test("A string that exceeds the limit only as JSON is not even begun")
    func notBegun() {
        let limit = ConversionLimit(contentBytes: 0)
        let quotes = String(repeating: "\"", count: limit.maxBytes / 2)
        let roots = [
            XMLElement("a", children: [.text(quotes)]), XMLElement("a", namespace: quotes), XMLElement(quotes),
            XMLElement("a", attributes: [XMLAttribute("b", value: quotes)]),
            XMLElement("a", attributes: [XMLAttribute(quotes, value: "b")]),
            XMLElement("a", attributes: [XMLAttribute("b", namespace: quotes, value: "c")]),
        ]
        for root in roots {
            var writer = JSONWriter()
            do throws(ResponseSerializationError) {
                try XMLTreeWriter.write(XMLDocument(root: root), to: &writer, within: limit)
                Issue.record("The document was written, with \(writer.bytes.count) bytes")
            } catch {
                #expect("\(error)" == "\(limit.error)")
            }
            #expect(writer.bytes.count < 100)
        }
    }

    @Test("The deepest document within all limits is converted to JSON")
    func depth() throws {
        let depth = XMLLimits.greatestDepth
        let xml = String(repeating: "<a>", count: depth) + "x" + String(repeating: "</a>", count: depth)
        let json = try Self.json(xml, XMLLimits(maxDepth: depth))
        let opening = String(repeating: #"{"name":"a","attributes":{},"children":["#, count: depth)
        #expect(json == opening + #""x""# + String(repeating: "]}", count: depth))
    }
}
