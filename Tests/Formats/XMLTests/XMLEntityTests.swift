import ErrandXML
import Testing

@Suite("Content from a DTD")
struct XMLEntityTests {
    @Test(
        "Every declaration of an entity is rejected, used or not",
        arguments: [
            "<!ENTITY e 'x'>", "<!ENTITY e SYSTEM 'file:///etc/hostname'>",
            "<!ENTITY e PUBLIC '-//E' 'http://127.0.0.1/'>",
            "<!ENTITY % e 'x'>", "<!ENTITY % e SYSTEM 'http://127.0.0.1/'>",
            "<!NOTATION n SYSTEM 'n'><!ENTITY e SYSTEM 'x' NDATA n>",
        ])
    func declarations(declaration: String) {
        let error = refusal("<!DOCTYPE a [\(declaration)]><a/>")
        #expect(error?.reason == .declaredContent)
        #expect(error?.message == "declarations of entities are not allowed")
    }

    @Test("A declaration of a predefined entity, which documents may repeat (XML 1.0 §4.6), cannot change it")
    func predefined() throws {
        #expect(try root("<!DOCTYPE a [<!ENTITY lt '&#38;#60;'>]><a>&lt;</a>").children == [.text("<")])
        #expect(try root("<!DOCTYPE a [<!ENTITY lt 'x'>]><a>&lt;</a>").children == [.text("<")])
    }

    @Test("A billion-laughs attack ends at the first declaration")
    func billionLaughs() {
        var document = "<!DOCTYPE a [\n<!ENTITY l0 'lol'>\n"
        for level in 1...9 {
            document += "<!ENTITY l\(level) '" + String(repeating: "&l\(level - 1);", count: 10) + "'>\n"
        }
        let error = refusal(document + "]><a>&l9;</a>")
        #expect(error?.reason == .declaredContent)
        #expect(error?.line == 2)
    }

    @Test("A quadratic blow-up ends at the declaration")
    func quadraticBlowUp() {
        let entity = String(repeating: "x", count: 100_000)
        let document = "<!DOCTYPE a [<!ENTITY e '\(entity)'>]><a>" + String(repeating: "&e;", count: 100_000) + "</a>"
        #expect(refusal(document)?.reason == .declaredContent)
    }

    @Test("A default value of an attribute is rejected; a declaration without one is not")
    func defaultAttributes() {
        for value in ["'x'", "#FIXED 'x'"] {
            let error = refusal("<!DOCTYPE a [<!ATTLIST a b CDATA \(value)>]><a/>")
            #expect(error?.reason == .declaredContent)
            #expect(error?.message == "default values of attributes are not allowed")
        }
        #expect(
            refusal("<!DOCTYPE a [<!ELEMENT a EMPTY><!ATTLIST a b CDATA #IMPLIED c ID #REQUIRED>]><a c='x'/>") == nil)
    }

    @Test("An external DTD is not loaded, and not required")
    func externalDTD() throws {
        let root = try root(
            """
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://127.0.0.1:1/PropertyList-1.0.dtd">
            <plist version="1.0">&lt;</plist>
            """)
        #expect(
            root
                == XMLElement("plist", attributes: [XMLAttribute("version", value: "1.0")], children: [.text("<")]))
    }

    @Test(
        "A reference that the unread part of a DTD may declare is an error, not dropped",
        arguments: [
            "<!DOCTYPE a SYSTEM 'a.dtd'>", "<!DOCTYPE a PUBLIC '-//A' 'a.dtd'>", "<!DOCTYPE a [%p;]>",
            "<!DOCTYPE a SYSTEM 'a.dtd' [<!ELEMENT a ANY>]>", "<!DOCTYPE a [%p;<!ENTITY e 'x'>]>",
        ])
    func skippedEntities(doctype: String) {
        for content in ["<a>&e;</a>", "<a b='&e;'/>", "<a b='1' c='x&e;y'></a>", "<a><b c='&amp;&e;'/></a>"] {
            let error = refusal(doctype + content)
            #expect(error?.reason == .malformed, "\(doctype)\(content)")
            #expect(error?.message == "undefined entity")
        }
        for content in [
            "<a b='&lt;&gt;&amp;&quot;&apos;&#1234;&#x41;'/>", "<a b='e;'>;</a>", "<a><!-- &e; --><![CDATA[&e;]]></a>",
        ] {
            if !doctype.contains("%p") { #expect(refusal(doctype + content) == nil, "\(doctype)\(content)") }
        }
    }

    @Test("References in attributes are found in UTF-16 and in tags of any length too")
    func skippedEntitiesEverywhere() {
        let filler = String(repeating: "x", count: 5000)
        let document = "\u{FEFF}<!DOCTYPE a SYSTEM 'a.dtd'><a b='\(filler)&undeclared;\(filler)'/>"
        let utf16 = document.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(refusal(document)?.message == "undefined entity")
        #expect(refusal(utf16)?.message == "undefined entity")
    }
}
