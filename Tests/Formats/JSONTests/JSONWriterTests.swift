import ErrandJSON
import ErrandSupport
import Testing

@Suite("Writing")
struct JSONWriterTests {
    /// Returns the output as text.
    private static func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Commas are between members and between items, and nowhere else")
    func structure() throws {
        let text = Self.written { writer in
            writer.beginObject()
            writer.member("none")
            writer.beginArray()
            writer.endArray()
            writer.member("empty")
            writer.beginObject()
            writer.endObject()
            writer.member("list")
            writer.beginArray()
            writer.int(1)
            writer.beginArray()
            writer.null()
            writer.endArray()
            writer.beginObject()
            writer.member("a")
            writer.bool(true)
            writer.endObject()
            writer.bool(false)
            writer.endArray()
            writer.member(String("last"))
            writer.string("x")
            writer.endObject()
        }
        #expect(text == #"{"none":[],"empty":{},"list":[1,[null],{"a":true},false],"last":"x"}"#)
        #expect(validationError(Array(text.utf8)) == nil)
    }

    @Test("Every character up to U+00FF round-trips in a string and in a name")
    func roundTrips() throws {
        for scalar in (0...0xFF).compactMap(Unicode.Scalar.init) {
            for text in [
                "\(scalar)", "before \(scalar)", "\(scalar) after", "\(scalar)\(scalar)", "a\(scalar)b\(scalar)c",
            ] {
                let json = Self.written { writer in
                    writer.beginObject()
                    writer.member(text)
                    writer.string(text)
                    writer.endObject()
                }
                let member = try #require(try root(json).object?.members.first)
                #expect(Array(member.key.utf8) == Array(text.utf8), "U+\(String(scalar.value, radix: 16))")
                #expect(member.value.string.map { Array($0.utf8) } == Array(text.utf8))
            }
        }
    }

    @Test("Control characters have the short escapes, or \\u00 and two digits")
    func escapes() {
        let controls = String(String.UnicodeScalarView((0..<0x20).compactMap(Unicode.Scalar.init)))
        let expected =
            #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
            + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
        #expect(Self.written { $0.string(controls) } == expected)
    }

    @Test("A string of plain characters is written between quotes, with the comma before it")
    func plainString() {
        let text = Self.written { writer in
            writer.beginArray()
            writer.plainString { $0 += Array("a-1".utf8) }
            writer.plainString { _ in }
            writer.int(1)
            writer.endArray()
        }
        #expect(text == #"["a-1","",1]"#)
    }

    @Test("Only necessary escapes are written")
    func plain() {
        let text = "/ é € 😀 \u{7F} \u{2028} '"
        #expect(Self.written { $0.string(text) } == "\"\(text)\"")
        #expect(Self.written { $0.string("a\"b\\c") } == #""a\"b\\c""#)
        #expect(Self.written { $0.string("") } == "\"\"")
    }

    @Test("A part of a text and a text of any length are written like a text")
    func lengths() throws {
        for length in 0..<70 {
            for text in [String(repeating: "x", count: length), String(repeating: "é", count: length) + "\n"] {
                #expect(try root(Self.written { $0.string(text) }).string == text)
                #expect(try root(Self.written { $0.string(String(text.dropFirst(length / 2))) }).string != nil)
            }
        }
    }

    @Test("A name in the program may need escapes, or be a single character")
    func staticNames() {
        let text = Self.written { writer in
            writer.beginObject()
            writer.member("a\"b\\\n\u{1}é")
            writer.int(1)
            writer.member("x")
            writer.int(2)
            writer.member("")
            writer.int(3)
            writer.endObject()
        }
        #expect(text == #"{"a\"b\\\n\u0001é":1,"x":2,"":3}"#)
    }

    @Test("A name that is a variable may have a text, an integer or null as its value")
    func variableNames() {
        let (text, number, null) = ("a\"b", "n", "z")
        let json = Self.written { writer in
            writer.beginObject()
            writer.member(text, "x")
            writer.member(number, -1)
            writer.member(null, Int?.none)
            writer.endObject()
        }
        #expect(json == #"{"a\"b":"x","n":-1,"z":null}"#)
    }

    @Test("Integers of every width are exact")
    func integers() {
        let text = Self.written { writer in
            writer.beginArray()
            writer.int(Int.min)
            writer.int(UInt64.max)
            writer.int(Int8(-1))
            writer.int(0)
            writer.int(Int128.max)
            writer.endArray()
        }
        #expect(text == "[-9223372036854775808,18446744073709551615,-1,0,170141183460469231731687303715884105727]")
    }

    static let doubles: [(number: Double, text: String)] = [
        (0, "0"), (-0.0, "-0"), (1, "1"), (-2.5, "-2.5"), (0.1, "0.1"), (100, "100"), (1e16, "1e+16"),
        (1.5e300, "1.5e+300"),
        (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        (0.30000000000000004, "0.30000000000000004"),
        (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
    ]

    @Test(
        "Fractions are as short as they can be and come back exactly; what JSON cannot say is null", arguments: doubles)
    func double(number: Double, text: String) throws {
        #expect(Self.written { $0.double(number) } == text)
        let value = try root(text)
        if case .number(let read) = value.kind {
            #expect(read.double.bitPattern == number.bitPattern)
        } else {
            #expect(value.isNull && !number.isFinite)
        }
    }

    @Test("Values and members are inserted unchanged")
    func splices() {
        let text = Self.written { writer in
            writer.beginObject()
            writer.rawMembers([])
            writer.rawMembers(Array(#""a":1.10,"b":[ ]"#.utf8))
            writer.rawMembers("".utf8)
            writer.member("c")
            writer.raw(Array(" 1e400 ".utf8)[1..<6])
            writer.member("d")
            writer.beginArray()
            writer.raw("null".utf8)
            writer.raw("{}".utf8)
            writer.endArray()
            writer.rawMembers(#""e":0"#.utf8)
            writer.endObject()
        }
        #expect(text == #"{"a":1.10,"b":[ ],"c":1e400,"d":[null,{}],"e":0}"#)
        #expect(validationError(Array(text.utf8)) == nil)
    }

    @Test("Any text becomes equivalent JSON")
    func randomTexts() throws {
        var random = SplitMix64(seed: 7)
        let alphabet =
            (0..<0x30).compactMap(Unicode.Scalar.init) + ["\\", "\"", "\u{7F}", "é", "€", "😀", "\u{2028}", "\u{FFFF}"]
        for _ in 0..<TestBuild.rounds(2_000) {
            var text = ""
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                text.unicodeScalars.append(alphabet[Int.random(in: alphabet.indices, using: &random)])
            }
            let written = Self.written { $0.string(text) }
            #expect(written.utf8.count == JSONWriter.byteCount(ofString: text))
            let read = try root(written).string
            #expect(read.map { Array($0.utf8) } == Array(text.utf8))
        }
    }
}
