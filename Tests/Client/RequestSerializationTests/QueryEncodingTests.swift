import ErrandRequestSerialization
import Testing

@Suite("The query of parameters")
struct QueryEncodingTests {
    @Test(
        "consists of pairs by the rules of the form encoding",
        arguments: [
            ("an empty object is nothing", #"{}"#, ""),
            ("members are sorted by key, case-sensitively", #"{"b":1,"a":2,"B":3,"aa":4}"#, "B=3&a=2&aa=4&b=1"),
            ("keys are sorted by their UTF-8", #"{"é":1,"z":2}"#, "z=2&%C3%A9=1"),
            ("keys are sorted before they are escaped", #"{"a~":1,"a b":2,"a":3,"[":4}"#, "%5B=4&a=3&a%20b=2&a~=1"),
            (
                "keys that look alike but are other code points stay apart", #"{"\u00e9":1,"e\u0301":2}"#,
                "e%CC%81=2&%C3%A9=1"
            ),
            ("the same key twice stays twice, in order", #"{"a":2,"a":1}"#, "a=2&a=1"),
            ("an object nests in brackets, sorted too", #"{"a":{"c":1,"b":2}}"#, "a%5Bb%5D=2&a%5Bc%5D=1"),
            ("objects nest deeper", #"{"a":{"b":{"c":1}}}"#, "a%5Bb%5D%5Bc%5D=1"),
            (
                "a name ends where its object ends", #"{"a":{"b":{"c":1},"d":2},"e":3}"#,
                "a%5Bb%5D%5Bc%5D=1&a%5Bd%5D=2&e=3"
            ),
            ("an array keeps its order", #"{"a":[3,1,2]}"#, "a%5B%5D=3&a%5B%5D=1&a%5B%5D=2"),
            ("an array of arrays", #"{"a":[[1],[2]]}"#, "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2"),
            ("an array of objects", #"{"a":[{"b":1}]}"#, "a%5B%5D%5Bb%5D=1"),
            ("empty containers are nothing", #"{"a":[],"b":{},"c":[{}],"d":1}"#, "d=1"),
            ("null is a key without =", #"{"a":null,"b":[null]}"#, "a&b%5B%5D"),
            ("an empty string is a key with =", #"{"a":""}"#, "a="),
            ("booleans are 1 and 0", #"{"a":true,"b":false}"#, "a=1&b=0"),
            (
                "numbers are as written", #"{"a":1.10,"b":12345678901234567890,"c":1E+2,"d":-0}"#,
                "a=1.10&b=12345678901234567890&c=1E%2B2&d=-0"
            ),
            ("letters, digits and -._~/? stay", #"{"a":"Az09-._~/?"}"#, "a=Az09-._~/?"),
            (
                "everything else of ASCII is escaped", #"{"a":" :#[]@!$&'()*+,;=%\"<>\\^`{|}"}"#,
                "a=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%22%3C%3E%5C%5E%60%7B%7C%7D"
            ),
            ("keys are escaped like values", #"{"a b&c=":1}"#, "a%20b%26c%3D=1"),
            (
                "text is escaped as UTF-8", #"{"a":"é\u20ac👨‍👩‍👧"}"#,
                "a=%C3%A9%E2%82%AC%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"
            ),
            (
                "the first and last characters of each length of UTF-8",
                #"{"a":"\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfff"}"#,
                "a=%C2%80%DF%BF%E0%A0%80%EF%BF%BF%F0%90%80%80%F4%8F%BF%BF"
            ),
            ("control characters are escaped", #"{"a":"\r\n\u0000\u007f"}"#, "a=%0D%0A%00%7F"),
            ("what looks escaped is escaped", #"{"a":"%20+"}"#, "a=%2520%2B"),
            ("an empty key is one", #"{"":1}"#, "=1"),
            ("an empty key without a value is nothing", #"{"":null,"a":1}"#, "a=1"),
            ("an object below an empty key nests too", #"{"":{"a":1}}"#, "%5Ba%5D=1"),
        ])
    func encodes(rule: String, parameters: String, expected: String) throws {
        #expect(try QueryEncoding.encode(Array(parameters.utf8)) == expected, "\(rule)")
    }

    @Test(
        "escapes the same characters as an independent encoder",
        arguments: [
            // urllib.parse.quote(text, safe="-._~/?") and quote_plus of Python.
            (
                ParameterEncoding.SpaceStyle.percent,
                "%00%01%02%03%04%05%06%07%08%09%0A%0B%0C%0D%0E%0F%10%11%12%13%14%15%16%17%18%19%1A%1B%1C%1D%1E%1F%20%21"
                    + "%22%23%24%25%26%27%28%29%2A%2B%2C-./0123456789%3A%3B%3C%3D%3E?%40ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B"
                    + "%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~%7F"
            ),
            (
                ParameterEncoding.SpaceStyle.plus,
                "%00%01%02%03%04%05%06%07%08%09%0A%0B%0C%0D%0E%0F%10%11%12%13%14%15%16%17%18%19%1A%1B%1C%1D%1E%1F+%21"
                    + "%22%23%24%25%26%27%28%29%2A%2B%2C-./0123456789%3A%3B%3C%3D%3E?%40ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B"
                    + "%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~%7F"
            ),
        ])
    func escapesAllOfASCII(spaces: ParameterEncoding.SpaceStyle, escaped: String) throws {
        let characters = (0..<0x80).map { code in
            let digits = String(code, radix: 16)
            return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
        }
        let parameters = #"{"a":""# + characters.joined() + #""}"#
        #expect(try QueryEncoding.encode(Array(parameters.utf8), ParameterEncoding(spaces: spaces)) == "a=" + escaped)
    }

    @Test(
        "requires an object",
        arguments: [
            ("[1]", "found an array"), ("1", "found a number"), (#""a""#, "found a string"), ("true", "found true"),
            ("null", "found null"),
        ])
    func refusesOthers(parameters: String, reason: String) {
        let error = #expect(throws: RequestSerializationError.self) {
            try QueryEncoding.encode(Array(parameters.utf8))
        }
        #expect(error?.message == "Parameters in a URL, a form or a multipart body must be an object; " + reason)
    }

    @Test("is of JSON only, and its error has the position", arguments: ["{", "", #"{"a":01}"#, #"{"a":"\ud800"}"#])
    func refusesMalformed(parameters: String) {
        let error = #expect(throws: RequestSerializationError.self) {
            try QueryEncoding.encode(Array(parameters.utf8))
        }
        #expect(error?.message.hasPrefix("The parameters are not valid JSON: ") == true)
        #expect(error?.message.contains(" at line 1") == true, "\(String(describing: error))")
    }
}
