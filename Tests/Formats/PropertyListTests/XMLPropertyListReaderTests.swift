import ErrandPropertyList
import Testing

@Suite("Property lists in XML")
struct XMLPropertyListReaderTests {
    @Test("Each element has a value; whitespace around numbers and dates is ignored")
    func values() throws {
        #expect(try xmlValue("<string> a\n</string>") == .string(" a\n"))
        #expect(try xmlValue("<string/>") == .string(""))
        #expect(try xmlValue("<integer>\n 42 </integer>") == .integer(42))
        #expect(try xmlValue("<true/>") == .boolean(true))
        #expect(try xmlValue("<false></false>") == .boolean(false))
        #expect(try xmlValue("<data>\n\tAAEC\n\t/w==\n</data>") == .data([0, 1, 2, 255]))
        #expect(try xmlValue("<data/>") == .data([]))
        #expect(try xmlValue("<array/>") == .array([]))
        #expect(try xmlValue("<dict/>") == .dictionary([]))
        #expect(
            try xmlValue("<date> 2001-01-01T00:00:01Z </date>") == .date(try #require(PropertyListDate(seconds: 1))))
    }

    @Test(
        "Integers are decimal or hexadecimal, of up to 128 bits",
        arguments: [
            ("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("0x1F", 31), ("-0XfF", -255),
            ("18446744073709551615", 18_446_744_073_709_551_615),
            ("170141183460469231731687303715884105727", Int128.max),
            ("-170141183460469231731687303715884105728", Int128.min),
        ] as [(String, Int128)])
    func integers(text: String, integer: Int128) throws {
        #expect(try xmlValue("<integer>\(text)</integer>") == .integer(integer))
    }

    @Test(
        "An invalid integer is rejected",
        arguments: [
            "", " ", "-", "+", "--1", "+-1", "-+1", "0x", "0x-1", "1.0", "1e3", "1 2", "one", "٣",
            "170141183460469231731687303715884105728",
        ])
    func badIntegers(text: String) {
        #expect(refusal("<integer>\(text)</integer>")?.message == "malformed integer, or one of more than 128 bits")
    }

    @Test("Dictionaries keep the order of the file, and repeated keys")
    func dictionaries() throws {
        let content = "<dict> <key>z</key><true/> <key>a</key> <array><dict/></array><key>z</key><string/></dict>"
        #expect(
            try xmlValue(content)
                == .dictionary([
                    PropertyListEntry("z", .boolean(true)), PropertyListEntry("a", .array([.dictionary([])])),
                    PropertyListEntry("z", .string("")),
                ]))
    }

    @Test("Comments are ignored")
    func comments() throws {
        #expect(
            try xmlValue("<!-- a --><array><!-- b --><integer>1<!-- c -->2</integer></array>") == .array([.integer(12)])
        )
    }

    @Test(
        "An invalid property list is rejected",
        arguments: [
            ("", "the element plist must contain one value, found 0"),
            ("<true/><true/>", "the element plist must contain one value, found 2"),
            ("text", "text between elements"), ("<array>x<true/></array>", "text between elements (at /"),
            ("<null/>", "unknown element in a property list"),
            ("<TRUE/>", "unknown element in a property list"),
            ("<true xmlns='urn:x'/>", "unknown element in a property list"),
            ("<key>a</key>", "unknown element in a property list"),
            ("<true>1</true>", "the element true must be empty"),
            ("<string><b/></string>", "an element inside of text"),
            ("<string>a<b/></string>", "an element inside of text"), ("<dict><true/></dict>", "expected a key"),
            ("<dict><key>a</key></dict>", "a key has no value"),
            ("<dict><key>a</key><key>b</key></dict>", "unknown element in a property list"),
            ("<real>x</real>", "malformed real"), ("<real/>", "malformed real"),
            ("<date>today</date>", "malformed date"),
            ("<data>A</data>", "malformed Base64"), ("<data>AA=A</data>", "malformed Base64"),
            ("<data>A-_A</data>", "malformed Base64"),
        ])
    func refused(content: String, message: String) {
        let error = refusal(content)
        #expect(error?.message == message.replacing(" (at /", with: ""))
    }

    @Test("The outermost element is plist, in no namespace")
    func outermost() {
        for text in ["<dict/>", "<plist xmlns='urn:x'><dict/></plist>", "<html><dict/></html>"] {
            #expect(refusal(Array(text.utf8))?.message == "the outermost element is not plist")
        }
    }

    @Test("An error has its location in the property list")
    func places() {
        let error = refusal("<dict><key>a/b</key><array><true/><real>x</real></array></dict>")
        #expect(error?.description == "malformed real (at /a~1b/1)")
        #expect(refusal("<true>")?.description == "mismatched tag (line 1, column 30)")
    }

    @Test("Entities are rejected as in any XML")
    func entities() {
        let text = "<!DOCTYPE plist [<!ENTITY e 'x'>]><plist><string>&e;</string></plist>"
        #expect(
            refusal(Array(text.utf8))?.description == "declarations of entities are not allowed (line 1, column 29)")
    }
}
