import ErrandJSON
import ErrandSupport
import Testing

@Suite("The grammar of RFC 8259")
struct JSONScannerTests {
    static func validates(_ bytes: [UInt8]) -> Bool { (try? JSONValidator.validate(bytes)) != nil }
    static func parses(_ bytes: [UInt8]) -> Bool { (try? JSONDocument.parse(bytes)) != nil }

    @Test("JSON is accepted by the parser and by the validator", arguments: GrammarTable.accepted)
    func accepts(text: String) {
        #expect(Self.validates(Array(text.utf8)))
        #expect(Self.parses(Array(text.utf8)))
    }

    @Test("Invalid JSON is rejected by both, at an offset within the text", arguments: GrammarTable.rejected)
    func rejects(text: String) {
        let bytes = Array(text.utf8)
        var places: [Int] = []
        do throws(JSONSyntaxError) { _ = try JSONValidator.validate(bytes) } catch { places.append(error.offset) }
        do throws(JSONSyntaxError) { _ = try JSONDocument.parse(bytes).root } catch { places.append(error.offset) }
        #expect(places.count == 2)
        #expect(places.first == places.last)
        #expect(places.allSatisfy { 0...bytes.count ~= $0 })
    }

    @Test("The tables have the expected sizes and no duplicates")
    func tables() {
        let all = GrammarTable.accepted + GrammarTable.rejected
        #expect(all.count >= 250)
        // Strings compare by canonical equivalence; the test compares bytes.
        #expect(
            Set(GrammarTable.accepted.map { Array($0.utf8) }).isDisjoint(
                with: GrammarTable.rejected.map { Array($0.utf8) }))
    }

    @Test("Every proper prefix of a document is rejected, and the whole is accepted")
    func truncation() {
        let bytes = Array(#" {"a":[1,-2.5e+3,"\u00e9\n😀",true,false,null],"b":{}}"#.utf8)
        #expect(Self.validates(bytes))
        #expect(Self.parses(bytes))
        for count in bytes.indices {
            #expect(!Self.validates(Array(bytes[..<count])), "\(count) bytes")
            #expect(!Self.parses(Array(bytes[..<count])), "\(count) bytes")
        }
    }

    @Test("Well-formed UTF-8 is accepted at every length around it", arguments: UTF8Table.accepted)
    func acceptsUTF8(character: [UInt8]) {
        for padding in 0..<20 {
            let bytes = [0x22] + [UInt8](repeating: 0x61, count: padding) + character + [0x22]
            #expect(Self.validates(bytes))
            #expect(Self.parses(bytes))
        }
    }

    @Test("Ill-formed UTF-8 is rejected at its first byte", arguments: UTF8Table.rejected)
    func rejectsUTF8(name: String, character: [UInt8]) {
        for padding in 0..<20 {
            let bytes = [0x22] + [UInt8](repeating: 0x61, count: padding) + character + [0x22]
            // One byte too many is a character followed by a lone continuation byte.
            let fault = 1 + padding + (character.starts(with: [0xC3, 0xA9]) ? 2 : 0)
            var places: [Int] = []
            do throws(JSONSyntaxError) { _ = try JSONValidator.validate(bytes) } catch { places.append(error.offset) }
            do throws(JSONSyntaxError) { _ = try JSONDocument.parse(bytes).root } catch { places.append(error.offset) }
            #expect(places == [fault, fault], "\(name)")
        }
    }

    @Test("UTF-8 that is truncated by the end of the text is rejected", arguments: UTF8Table.rejected)
    func truncatedUTF8(name: String, character: [UInt8]) {
        #expect(!Self.validates([0x22] + character), "\(name)")
        #expect(!Self.parses([0x22] + character), "\(name)")
    }

    @Test(
        "An unpaired surrogate is JSON, but not text",
        arguments: [
            #""\ud800""#, #""\udbff""#, #""\udc00""#, #""\udfff""#, #""\ud83d\ud83d""#, #""\ude00\ud83d""#,
            #""\ud83d ""#,
            #""\ud83d\n""#, #""\ud83dx""#, #""\ud83d\u0041""#, #"{"\ud800":1}"#, #"["\uD83D\uDE00\uD83D"]"#,
        ])
    func surrogates(text: String) {
        #expect(Self.validates(Array(text.utf8)))
        #expect(!Self.parses(Array(text.utf8)))
    }

    @Test(
        "Below the place of what is passed on, half of a surrogate pair is U+FFFD",
        arguments: [
            (#"{"a":{"b":"\ud800"}}"#, "\u{FFFD}"), (#"{"a":{"b":"x\uDFFF\u00e9"}}"#, "x\u{FFFD}é"),
            (#"{"a":{"b":"\ud83d\ud83d\ude00"}}"#, "\u{FFFD}😀"), (#"{"a":{"b":"\ud83d\n"}}"#, "\u{FFFD}\n"),
            (#"{"a":{"b":"\ud83d\u0041"}}"#, "\u{FFFD}A"), (#"{"a":{"b":"\udc00\ud800"}}"#, "\u{FFFD}\u{FFFD}"),
            (#"{"b":1,"a":{"c":{"b":2},"\u0062":"\ud800"},"c":{"b":"😀"}}"#, "\u{FFFD}"),
        ])
    func verbatim(text: String, expected: String) throws {
        let document = try JSONDocument.parse(Array(text.utf8), verbatim: ["a", "b"])
        let value = try #require(document.root.object?["a"]?.object?["b"])
        #expect(value.string == expected)
        #expect(document.holdsLoneSurrogates)
        #expect(try !JSONDocument.parse(Array(#"{"a":{"b":"\ud83d\ude00\ufffd"}}"#.utf8)).holdsLoneSurrogates)
    }

    @Test(
        "Names and containers below that place may have halves too",
        arguments: [#"{"\ud800":["\udc00"]}"#, #"[{"\ud800":1},"\udfff"]"#, #"[[["\ud800"]],{"a":{"b":"\ud800"}}]"#])
    func verbatimContainers(text: String) throws {
        let bytes = Array(#"{"a":{"z":0,"b":\#(text)},"y":[]}"#.utf8)
        let document = try JSONDocument.parse(bytes, verbatim: ["a", "b"])
        let value = try #require(document.root.object?["a"]?.object?["b"])
        #expect(Array(document.slice(of: value)) == Array(text.utf8))
    }

    @Test(
        "Anywhere beside that place, half of a surrogate pair is refused where it stands",
        arguments: [
            #"{"a":{"b":1,"\ud800":2}}"#, #"{"a":{"b":1,"c":"\ud800"}}"#, #"{"a":{"b":1},"b":"\ud800"}"#,
            #"{"b":{"a":"\ud800"}}"#, #"{"a":["\ud800"]}"#, #"{"a":[{"b":"\ud800"}]}"#, #"[{"a":{"b":"\ud800"}}]"#,
            #"{"a":"\ud800"}"#, #"{"a":{"c":{"b":"\ud800"}}}"#, #"{"a":{"b":1},"\ud800":1}"#,
            #"{"a":{"b":[]},"c":["\ud800"]}"#, #"{"a":{"b":1},"a":{"c":"\ud800"}}"#, #""\ud800""#,
        ])
    func besideVerbatim(text: String) throws {
        let bytes = Array(text.utf8)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument.parse(bytes, verbatim: ["a", "b"]) }
        #expect(error?.reason == .loneSurrogate)
        #expect(error.map { Array(bytes[$0.offset...].prefix(6)) } == Array(#"\ud800"#.utf8))
    }

    @Test("Whatever a byte is replaced with, the parser and the validator agree and nothing traps")
    func mutations() {
        let seeds = [
            #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#, #"[[],{},"",0,-1.5e+10,true,false,null]"#,
            #"{"text":"\u00e9\ud83d\ude00\n\"\\é😀","deep":[[[[{"x":[1,2,3]}]]]]}"#, "\u{FEFF} [ 1 , 2 ]\r\n", #""""#,
            "0",
        ].map { Array($0.utf8) }
        let alphabet =
            Array("{}[]:,\"\\/truefalsn0123456789.-+eEdDu \t\n\r'#\u{0}é😀".utf8) + [0x80, 0xC0, 0xED, 0xF4, 0xFF]
        var random = SplitMix64(seed: 0x45_52_52_41_4E_44)
        var accepted = 0
        let rounds = TestBuild.rounds(20_000)
        for round in 0..<rounds {
            var bytes = seeds[Int.random(in: seeds.indices, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(alphabet[Int.random(in: alphabet.indices, using: &random)], at: place)
                case 1 where place < bytes.count: bytes.remove(at: place)
                case 2 where place < bytes.count:
                    bytes[place] = alphabet[Int.random(in: alphabet.indices, using: &random)]
                default: bytes.removeSubrange(place...)
                }
            }
            let (isValid, isParsed) = (Self.validates(bytes), Self.parses(bytes))
            if isValid { accepted += 1 }
            // Only the parser checks surrogates.
            let holdsSurrogate = String(decoding: bytes, as: UTF8.self).lowercased().contains("\\ud")
            #expect(isValid == isParsed || (isValid && holdsSurrogate), "round \(round): \(bytes)")
        }
        // Both results must occur often, or the agreement is meaningless.
        #expect(accepted > rounds / 20)
        #expect(accepted < rounds * 19 / 20)
    }
}
