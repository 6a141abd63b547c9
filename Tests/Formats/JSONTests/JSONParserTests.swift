import ErrandJSON
import Testing

@Suite("Building the tree")
struct JSONParserTests {
    static let strings: [(json: String, text: String)] = [
        (#""""#, ""), (#""abc""#, "abc"), (#""\"\\\/""#, "\"\\/"), (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"),
        (#""\u0000""#, "\u{0}"), (#""\u0041\u00e9\u00E9""#, "A\u{E9}\u{E9}"), (#""\u20ac""#, "€"),
        (#""\ud83d\ude00""#, "😀"), (#""\uD800\uDC00""#, "\u{10000}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        (#""x\ud83d\ude00\ud83d\ude00y""#, "x😀😀y"), (#""\uFFFF\uFEFF""#, "\u{FFFF}\u{FEFF}"),
        (#""\\u0041""#, "\\u0041"), ("\"é€😀\"", "é€😀"), ("\"é\\n😀\"", "é\n😀"), (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
    ]

    @Test("Escapes are resolved", arguments: strings)
    func escapes(json: String, text: String) throws {
        // The bytes are compared, because String's == uses canonical equivalence.
        #expect(try root(json).string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(try root("{\(json):0}").object?.members.first.map { Array($0.key.utf8) } == Array(text.utf8))
    }

    @Test("Each type becomes its kind, in order")
    func kinds() throws {
        let items = try #require(try root(#"[null,true,false,-1.50e+3,"s",[],{}]"#).array)
        #expect(
            items.map(\.kind) == [
                .null, .bool(true), .bool(false), .number(JSONNumber(lexeme: "-1.50e+3")), .string("s"), .array([]),
                .object(JSONObject()),
            ])
        #expect(
            items.map(\.kindDescription) == ["null", "true", "false", "a number", "a string", "an array", "an object"])
    }

    @Test("Values nested to the greatest depth are parsed, one more level is rejected")
    func depth() throws {
        let limits = JSONLimits(maxDepth: .max)
        let depth = JSONLimits.greatestDepth
        for (open, close) in [("[", "]"), ("{\"a\":[", "]}")] {
            let levels = depth / (open.utf8.count > 1 ? 2 : 1)
            let deepest = String(repeating: open, count: levels) + String(repeating: close, count: levels)
            var value = try root(deepest, limits)
            var found = 0
            while let next = value.array?.first ?? value.object?.members.first?.value {
                value = next
                found += 1
            }
            #expect(found == depth - 1)
            let error = parsingError(Array(("[" + deepest + "]").utf8), limits)
            #expect(error?.reason == .tooDeep)
        }
    }
}
