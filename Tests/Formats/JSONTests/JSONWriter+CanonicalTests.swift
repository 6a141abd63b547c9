import ErrandJSON
import Testing

@Suite("JSONWriter: canonical form")
struct JSONWriterCanonicalTests {
    private func canonical(_ text: String) throws -> String {
        var writer = JSONWriter()
        writer.canonical(try JSONDocument.parse(Array(text.utf8)).root)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "Whitespace, the order of members and the escapes of strings have no effect",
        arguments: [
            #"{"b":[1,true,null],"a":"x/é"}"#, #"{ "a" : "x\/\u00e9" , "b" : [ 1 , true , null ] }"#,
        ])
    func same(text: String) throws {
        #expect(try canonical(text) == #"{"a":"x/é","b":[1,true,null]}"#)
    }

    @Test("Names are sorted by code points, so that those beyond 16 bits are last")
    func order() throws {
        #expect(try canonical(#"{"😀":1,"ﬀ":2,"a":3,"":4,"Z":5}"#) == #"{"":4,"Z":5,"a":3,"ﬀ":2,"😀":1}"#)
    }

    @Test(
        "Numbers keep their form, and arrays and the values of a repeated name their order",
        arguments: [("1.0", "1.0"), ("[2,1]", "[2,1]"), (#"{"a":2,"b":0,"a":1}"#, #"{"a":2,"a":1,"b":0}"#)])
    func kept(text: String, expected: String) throws {
        #expect(try canonical(text) == expected)
    }
}
