import ErrandSupport
import ErrandXML
import Testing

@Suite("Hostile XML")
struct XMLMutationTests {
    private static let documents = [
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE a PUBLIC "-//A" "a.dtd" [<!ELEMENT a ANY><!ATTLIST a b CDATA #IMPLIED>]>
        <p:a xmlns:p="urn:p" b="&lt;x&#10;" p:c='2'>é<!-- c --><![CDATA[<d>]]><?pi x?><d xmlns="urn:d"><e/></d> 😀</p:a>
        """,
        "\u{FEFF}<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de'><title>&amp;</title><link href='x'/></feed>",
    ]
    private static let fragments = [
        "<", ">", "&", ";", "/", "'", "\"", "<!", "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>", "&#", "&e;", "<a>",
        "</a>",
        "<!ENTITY e 'x'>", "<!DOCTYPE a [", "]>", "xmlns=''", " encoding='utf-16'", "\0", "\u{FEFF}",
    ].map { Array($0.utf8) }

    @Test("Any mutated document is parsed or rejected")
    func mutations() {
        var generator = SplitMix64(seed: 20_261_121)
        var (accepted, refused) = (0, 0)
        let rounds = TestBuild.rounds(20_000)
        for round in 0..<rounds {
            var bytes = Array(Self.documents[round % Self.documents.count].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&bytes, &generator) }
            let encoding = [nil, nil, "UTF-8", "UTF-16", "ISO-8859-1"].randomElement(using: &generator) ?? nil
            if let error = refusal(bytes, encoding: encoding) {
                refused += 1
                #expect(error.line >= 1 && error.column >= 1 && !error.message.isEmpty)
            } else {
                accepted += 1
            }
        }
        #expect(accepted > rounds / 200)
        #expect(refused > rounds / 200)
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 0...8, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
        case 3: bytes.insert(contentsOf: fragments.randomElement(using: &generator) ?? [], at: place)
        default: bytes.removeSubrange(place...)
        }
    }
}
