import ErrandRequestSerialization
import Testing

@Suite("The JSON serializer")
struct JSONRequestSerializerTests {
    @Test(
        "sends the bytes unchanged",
        arguments: [
            #"{}"#, "[]", " \n[ 1.10 ,\t2 ] ", #"{"b":1,"a":12345678901234567890,"b":"\u00e9\/é\ud83d\ude00"}"#,
        ])
    func passesThrough(parameters: String) throws {
        let content = try RequestSerializerKind.json.serializer().serialize(parameters)
        #expect(content.text == parameters)
        #expect(content.contentType == "application/json")
    }

    @Test(
        "changes only what its options specify",
        arguments: [
            (
                "lines and two spaces", .init(prettyPrinted: true), #"{"b":[1,{"a":null}],"a":"x"}"#,
                "{\n  \"b\": [\n    1,\n    {\n      \"a\": null\n    }\n  ],\n  \"a\": \"x\"\n}"
            ),
            ("white space of its own", .init(prettyPrinted: true), " [ 1\r\n,2 ]\t", "[\n  1,\n  2\n]"),
            (
                "empty containers on one line", .init(prettyPrinted: true), #"{"a":[ ],"b":{ }}"#,
                "{\n  \"a\": [],\n  \"b\": {}\n}"
            ),
            ("an empty container at the top", .init(prettyPrinted: true), "[ ]", "[]"),
            (
                "names in order", .init(sortsKeys: true), #"{"b":1,"a":{"d":2,"c":3},"B":4}"#,
                #"{"B":4,"a":{"c":3,"d":2},"b":1}"#
            ),
            (
                "names by their UTF-8", .init(sortsKeys: true), #"{"é":1,"z":2,"\u0061":3}"#,
                #"{"\u0061":3,"z":2,"é":1}"#
            ),
            (
                "one name twice, in order", .init(sortsKeys: true), #"{"b":0,"a":2,"\u0061":1}"#,
                #"{"a":2,"\u0061":1,"b":0}"#
            ),
            ("arrays keep their order", .init(sortsKeys: true), #"[3,1,{"b":1,"a":2}]"#, #"[3,1,{"a":2,"b":1}]"#),
            ("no white space", .init(sortsKeys: true), "{ \"a\" : [ 1 , 2 ] }\n", #"{"a":[1,2]}"#),
            ("slashes in names and values", .init(escapesSlashes: true), #"{"a/b":"c//d"}"#, #"{"a\/b":"c\/\/d"}"#),
            ("escaped slashes once", .init(escapesSlashes: true), #"["\/","\\/","\\\/"]"#, #"["\/","\\\/","\\\/"]"#),
            (
                "numbers and escapes as they are", .init(sortsKeys: true, escapesSlashes: true),
                #"[1.10,-0,1E+400,12345678901234567890,"\u002f\ud83d\ude00é\b"]"#,
                #"[1.10,-0,1E+400,12345678901234567890,"\u002f\ud83d\ude00é\b"]"#
            ),
            (
                "all at once", .init(prettyPrinted: true, sortsKeys: true, escapesSlashes: true),
                #"{"b":true,"a":["/"]}"#, "{\n  \"a\": [\n    \"\\/\"\n  ],\n  \"b\": true\n}"
            ),
        ] as [(String, JSONWritingOptions, String, String)])
    func rewrites(rule: String, json: JSONWritingOptions, parameters: String, expected: String) throws {
        let serializer = RequestSerializerKind.json.serializer(RequestSerializationOptions(json: json))
        let content = try serializer.serialize(parameters)
        #expect(content.text == expected, "\(rule)")
        #expect(content.contentType == "application/json")
    }

    static let options = [JSONWritingOptions(), JSONWritingOptions(sortsKeys: true)]

    @Test("refuses values other than arrays and objects", arguments: ["1", #""a""#, "true", "null"], options)
    func refusesFragments(parameters: String, json: JSONWritingOptions) {
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.json.serializer(RequestSerializationOptions(json: json)).serialize(parameters)
        }
        #expect(error?.message == "JSON parameters must be an object or an array")
    }

    @Test("refuses invalid JSON and reports the position", arguments: ["", "{", "[1,]", "{'a':1}"], options)
    func refusesMalformed(parameters: String, json: JSONWritingOptions) {
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.json.serializer(RequestSerializationOptions(json: json)).serialize(parameters)
        }
        #expect(error?.message.hasPrefix("The parameters are not valid JSON: ") == true)
    }

    @Test("refuses indentation of excessive size")
    func amplification() {
        // 5 kB would become 2 MB.
        let parameters =
            String(repeating: "[", count: 500) + "0" + String(repeating: ",0", count: 2000)
            + String(repeating: "]", count: 500)
        let options = RequestSerializationOptions(json: JSONWritingOptions(prettyPrinted: true))
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.json.serializer(options).serialize(parameters)
        }
        #expect(error?.message.hasPrefix("The encoded parameters may have at most 1048576 bytes: 1 MiB, or ") == true)
    }
}
