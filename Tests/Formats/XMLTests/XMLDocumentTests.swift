import ErrandXML
import Testing

@Suite("XML documents")
struct XMLDocumentTests {
    @Test("Elements, attributes and texts keep the order of the document")
    func order() throws {
        let root = try root(#"<a z="1" b="2">one<c/>two<d e="3">three</d><c/></a>"#)
        #expect(
            root
                == XMLElement(
                    "a", attributes: [XMLAttribute("z", value: "1"), XMLAttribute("b", value: "2")],
                    children: [
                        .text("one"), .element(XMLElement("c")), .text("two"),
                        .element(
                            XMLElement("d", attributes: [XMLAttribute("e", value: "3")], children: [.text("three")])),
                        .element(XMLElement("c")),
                    ]))
    }

    @Test("Whitespace between elements is ordinary text")
    func whiteSpace() throws {
        #expect(try root("<a>\n  <b/>\r\n</a>").children == [.text("\n  "), .element(XMLElement("b")), .text("\n")])
    }

    @Test(
        "Adjacent texts are merged, in any form",
        arguments: [
            "<a>one two</a>", "<a><![CDATA[one two]]></a>", "<a>one<![CDATA[ ]]>two</a>", "<a>one<!-- and --> two</a>",
            "<a>one<?and now?> two</a>", "<a>&#111;ne&#x20;two</a>", "<a>o<![CDATA[]]>ne<!----> two</a>",
        ])
    func mergedText(document: String) throws {
        #expect(try root(document).children == [.text("one two")])
    }

    @Test("The five predefined entities and character references are resolved, in text and in attributes")
    func references() throws {
        let root = try root(
            #"<a b="&lt;&gt;&amp;&quot;&apos;&#233;&#x1F600;">&lt;&gt;&amp;&quot;&apos;&#233;&#x1F600;</a>"#)
        #expect(root.attributes == [XMLAttribute("b", value: "<>&\"'é😀")])
        #expect(root.children == [.text("<>&\"'é😀")])
    }

    @Test("An ampersand from a reference begins no reference")
    func referencesOnce() throws {
        #expect(try root("<a>&amp;lt;</a>").children == [.text("&lt;")])
        #expect(try root("<!DOCTYPE a><a b='&amp;nbsp;'/>").attributes == [XMLAttribute("b", value: "&nbsp;")])
    }

    @Test("Line ends become line feeds, and whitespace in attributes spaces, unless they come from a reference")
    func normalisation() throws {
        let root = try root("<a b=\"1\r\n2\t3&#10;4&#13;5\">1\r\n2\r3&#13;4</a>")
        #expect(root.attributes == [XMLAttribute("b", value: "1 2 3\n4\r5")])
        #expect(root.children == [.text("1\n2\n3\r4")])
    }

    @Test("Names are split into namespace and local name; namespace declarations are not attributes")
    func namespaces() throws {
        let root = try root(
            #"<p:a xmlns:p="urn:p" xmlns="urn:d" p:x="1" x="2" xml:lang="de"><b/>"#
                + #"<c xmlns=""/><q:b xmlns:q="urn:p"/></p:a>"#
        )
        #expect(root.name == "a")
        #expect(root.namespace == "urn:p")
        #expect(
            root.attributes == [
                XMLAttribute("x", namespace: "urn:p", value: "1"), XMLAttribute("x", value: "2"),
                XMLAttribute("lang", namespace: "http://www.w3.org/XML/1998/namespace", value: "de"),
            ])
        #expect(
            root.children == [
                .element(XMLElement("b", namespace: "urn:d")), .element(XMLElement("c")),
                .element(XMLElement("b", namespace: "urn:p")),
            ])
    }

    @Test("A namespace may be any text, and stays unchanged")
    func strangeNamespaces() throws {
        for (written, meant) in [("a b", "a b"), ("&#10;", "\n"), ("{x}", "{x}"), ("é", "é"), ("|", "|")] {
            let root = try root("<p:a xmlns:p='\(written)' p:b='1'><p:c/></p:a>")
            #expect(root.namespace.map { Array($0.utf8) } == Array(meant.utf8))
            #expect(root.attributes == [XMLAttribute("b", namespace: meant, value: "1")])
            #expect(root.children == [.element(XMLElement("c", namespace: meant))])
        }
    }

    @Test("Namespaces that only look equal stay different")
    func equivalentNamespaces() throws {
        // é as one code point and as two: canonically equivalent, but another namespace (Namespaces in XML §2.3).
        let root = try root("<a xmlns='\u{E9}'><b xmlns='e\u{301}'/></a>")
        guard case .element(let inner) = root.children.first else {
            Issue.record("there is no inner element")
            return
        }
        #expect(root.namespace?.unicodeScalars.count == 1)
        #expect(inner.namespace?.unicodeScalars.count == 2)
    }

    @Test(
        "A document that is not well-formed is rejected",
        arguments: [
            "", " ", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a b='1' b='2'/>", "<a b=1/>", "<a>&#0;</a>",
            "<a>&#1;</a>", "<a>\u{1}</a>", "<a>]]></a>", "<a>&nbsp;</a>", "<a b='&nbsp;'/>", "<a><b></a></b>",
            "<a b='<'/>",
            "<p:a/>", "<a xmlns:p=''/>", "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", "<a>&#xD800;</a>",
            " <?xml version='1.0'?><a/>",
            "<a/>text", "{}",
        ])
    func malformed(document: String) {
        #expect(refusal(document)?.reason == .malformed)
    }

    @Test("A truncated document is rejected, wherever it ends")
    func cutOff() {
        let document = Array("<?xml version='1.0'?><!DOCTYPE a><a b='1&amp;'>x<![CDATA[y]]><!-- z --><c/></a>".utf8)
        #expect(refusal(document) == nil)
        for count in 0..<document.count {
            #expect(refusal(Array(document.prefix(count)))?.reason == .malformed)
        }
    }

    @Test("Invalid UTF-8 is rejected")
    func invalidUTF8() {
        for bytes in [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xE9],
        ] as [[UInt8]] {
            #expect(refusal(Array("<a>".utf8) + bytes + Array("</a>".utf8))?.reason == .malformed)
        }
    }
}
