import ErrandJSON
import ErrandPropertyList
import Testing

@Suite("Writing property lists")
struct PropertyListWriterTests {
    private static func xml(_ json: String) throws -> String {
        let value = try JSONDocument.parse(Array(json.utf8), limits: JSONLimits(maxDepth: .max)).root
        return String(decoding: try PropertyListWriter.xml(value), as: UTF8.self)
    }

    private static func refusal(_ json: String) throws -> PropertyListError? {
        let value = try JSONDocument.parse(Array(json.utf8)).root
        do throws(PropertyListError) {
            _ = try PropertyListWriter.xml(value)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the content of the element `plist`.
    private static func content(_ json: String) throws -> String {
        let text = try xml(json)
        let start = try #require(text.firstRange(of: "<plist version=\"1.0\">\n"))
        let end = try #require(text.firstRange(of: "</plist>\n"))
        return String(text[start.upperBound..<end.lowerBound])
    }

    @Test("The text is that of another implementation, byte for byte")
    func layout() throws {
        // Written by Python's plistlib, which does not indent the outermost element either.
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>a</key>
            \t<array>
            \t\t<integer>1</integer>
            \t\t<integer>-2</integer>
            \t\t<real>1.5</real>
            \t\t<string>x&lt;&amp;&gt;y</string>
            \t\t<true/>
            \t\t<false/>
            \t\t<array/>
            \t\t<dict/>
            \t</array>
            \t<key>é</key>
            \t<dict>
            \t\t<key>n</key>
            \t\t<dict/>
            \t</dict>
            \t<key></key>
            \t<string></string>
            </dict>
            </plist>

            """
        #expect(try Self.xml(#"{"a":[1,-2,1.5,"x<&>y",true,false,[],{}],"é":{"n":{}},"":""}"#) == expected)
    }

    @Test("Numbers keep their JSON form")
    func numbers() throws {
        #expect(
            try Self.content("[0,-0,1.10,1e3,-2.5E-7,123456789012345678901234567890]") == """
                <array>
                \t<integer>0</integer>
                \t<integer>-0</integer>
                \t<real>1.10</real>
                \t<real>1e3</real>
                \t<real>-2.5E-7</real>
                \t<integer>123456789012345678901234567890</integer>
                </array>

                """)
    }

    @Test("JSON round-trips")
    func roundTrip() throws {
        let json =
            #"{"z":[1,-2,1.10,"\t\n\r\r\n ]]> &amp; é😀\u007f\u0085\u2028"]"#
            + #","a":{"":true,"<k>":[[],{}]},"big":18446744073709551615}"#
        let written = try Self.xml(json)
        let read = try PropertyListDocument.parse(Array(written.utf8)).root
        let expected =
            #"{"z":[1,-2,1.10,"\t\n\r\r\n ]]> &amp; é😀"# + "\u{7F}\u{85}\u{2028}"
            + #""],"a":{"":true,"<k>":[[],{}]},"big":18446744073709551615}"#
        #expect(String(decoding: PropertyListJSON.write(read), as: UTF8.self) == expected)
    }

    @Test(
        "A value that property lists cannot represent is rejected, with its location",
        arguments: [
            ("[1,null]", "a property list cannot contain null (at /1)"),
            (#"{"a":{"b":null}}"#, "a property list cannot contain null (at /a/b)"),
            (#"["\u0000"]"#, "XML cannot represent the character U+0000 (at /0)"),
            (#"["a\u001b"]"#, "XML cannot represent the character U+001B (at /0)"),
            (#"["\ufffe"]"#, "XML cannot represent the character U+FFFE (at /0)"),
            (#"{"a":1,"b":{"a":1,"a":2}}"#, "the object has a repeated name, which a dictionary cannot have (at /b/a)"),
            ("1", "expected an array or an object, found a number"),
            ("null", "expected an array or an object, found null"),
            (#""text""#, "expected an array or an object, found a string"),
        ])
    func refused(json: String, description: String) throws {
        #expect(try Self.refusal(json)?.description == description)
    }

    @Test("A control character is rejected in a key too")
    func keys() throws {
        #expect(try Self.refusal(#"{"\u0001":1}"#)?.message == "XML cannot represent the character U+0001")
    }

    @Test("A property list above a limit is rejected at the array or object that exceeds it")
    func limit() throws {
        let value = try JSONDocument.parse(Array(#"{"a":[1,2]}"#.utf8)).root
        let bytes = try PropertyListWriter.xml(value).count
        #expect(try PropertyListWriter.xml(value, maxBytes: bytes).count == bytes)
        let withoutEnd = bytes - "\t</array>\n</dict>\n</plist>\n".utf8.count
        for (size, pointer) in [(bytes, JSONPointer()), (withoutEnd, JSONPointer(["a"]))] {
            let message = "expected a property list of at most \(size - 1) bytes, found at least \(size)"
            #expect(throws: PropertyListError(message, at: .value(pointer))) {
                try PropertyListWriter.xml(value, maxBytes: size - 1)
            }
        }
    }

    @Test("The deepest allowed JSON can be written, and nothing deeper")
    func depth() throws {
        let depth = JSONLimits.greatestDepth
        let json = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        #expect(try Self.content(json).contains("<integer>1</integer>"))
        let value = try JSONDocument.parse(Array(json.utf8), limits: JSONLimits(maxDepth: depth)).root
        #expect(
            throws: PropertyListError("nested too deep", at: .value(JSONPointer(Array(repeating: "0", count: depth))))
        ) {
            try PropertyListWriter.xml(JSONValue(.array([value])))
        }
    }
}
