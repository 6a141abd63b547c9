import ErrandXML
import Testing

@Suite("Limits of XML")
struct XMLLimitsTests {
    private static func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }

    @Test("Elements nest as deep as the limit, and no deeper")
    func depth() {
        #expect(refusal(Self.nested(512)) == nil)
        #expect(refusal(Self.nested(513))?.message == "elements are nested more than 512 deep")
        #expect(refusal(Self.nested(513))?.reason == .limit)
        #expect(refusal("<a/>", XMLLimits(maxDepth: 1)) == nil)
        #expect(refusal("<a><b/></a>", XMLLimits(maxDepth: 1))?.reason == .limit)
    }

    @Test("A million open tags are rejected without a stack overflow")
    func hostileDepth() {
        #expect(refusal(String(repeating: "<a>", count: 1_000_000))?.reason == .limit)
    }

    @Test("The deepest allowed tree can be compared and freed")
    func greatestDepth() throws {
        let limits = XMLLimits(maxDepth: .max)
        #expect(limits.maxDepth == XMLLimits.greatestDepth)
        let document = Self.nested(XMLLimits.greatestDepth)
        #expect(try root(document, limits) == root(document, limits))
        #expect(refusal(Self.nested(XMLLimits.greatestDepth + 1), limits)?.reason == .limit)
    }

    @Test("Elements, attributes and texts are counted")
    func nodes() {
        let document = "<a b='1' c='2'>x<d/>y</a>"
        #expect(refusal(document, XMLLimits(maxNodes: 6)) == nil)
        #expect(refusal(document, XMLLimits(maxNodes: 5))?.message == "more than 5 elements, attributes and texts")
    }

    @Test("The attributes of one element are counted")
    func attributes() {
        #expect(refusal("<a b='1' c='2'><d e='3' f='4'/></a>", XMLLimits(maxAttributes: 2)) == nil)
        #expect(
            refusal("<a b='1' c='2' d='3'/>", XMLLimits(maxAttributes: 2))?.message
                == "an element has more than 2 attributes")
    }

    @Test("The bytes of names, values and texts are counted")
    func textBytes() {
        // ab, cd, 12, é (2 bytes).
        #expect(refusal("<ab cd='12'>é</ab>", XMLLimits(maxTextBytes: 8)) == nil)
        #expect(
            refusal("<ab cd='12'>é</ab>", XMLLimits(maxTextBytes: 7))?.message == "more than 7 bytes of names and text")
    }

    @Test("A long namespace of many elements exceeds the limit")
    func namespaceBlowUp() {
        let namespace = String(repeating: "n", count: 1000)
        let document = "<a xmlns='\(namespace)'>" + String(repeating: "<b/>", count: 1000) + "</a>"
        #expect(refusal(document, XMLLimits(maxTextBytes: 100_000))?.reason == .limit)
    }

    @Test("Limits below zero are zero")
    func negative() {
        #expect(
            XMLLimits(maxDepth: -1, maxNodes: -1, maxAttributes: -1, maxTextBytes: -1)
                == XMLLimits(maxDepth: 0, maxNodes: 0, maxAttributes: 0, maxTextBytes: 0))
    }
}
