import Testing

@testable import SessionCore

@Suite("The query of parameters")
struct QueryEncodingTests {
    @Test(
        "is pairs by the rules of the form encoding",
        arguments: [
            ("an empty object is nothing", #"{}"#, ""),
            ("members are sorted by key, case-sensitively", #"{"b":1,"a":2,"B":3,"aa":4}"#, "B=3&a=2&aa=4&b=1"),
            ("keys are sorted by their UTF-8", #"{"é":1,"z":2}"#, "z=2&%C3%A9=1"),
            ("the same key twice stays twice, in order", #"{"a":2,"a":1}"#, "a=2&a=1"),
            ("an object nests in brackets, sorted too", #"{"a":{"c":1,"b":2}}"#, "a%5Bb%5D=2&a%5Bc%5D=1"),
            ("objects nest deeper", #"{"a":{"b":{"c":1}}}"#, "a%5Bb%5D%5Bc%5D=1"),
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
                "everything else is escaped", #"{"a":" :#[]@!$&'()*+,;=%\"<>\\^`{|}"}"#,
                "a=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%22%3C%3E%5C%5E%60%7B%7C%7D"
            ),
            ("keys are escaped like values", #"{"a b&c=":1}"#, "a%20b%26c%3D=1"),
            (
                "text is escaped as UTF-8", #"{"a":"é\u20ac👨‍👩‍👧"}"#,
                "a=%C3%A9%E2%82%AC%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"
            ),
            ("control characters are escaped", #"{"a":"\r\n\u0000"}"#, "a=%0D%0A%00"),
            ("an empty key is one", #"{"":1}"#, "=1"),
        ])
    func encodes(rule: String, parameters: String, expected: String) throws {
        #expect(try QueryEncoding.encode(Array(parameters.utf8)) == expected, "\(rule)")
    }

    @Test("is made of an object only", arguments: ["[1]", "1", #""a""#, "true", "null", "{", ""])
    func refuses(parameters: String) {
        #expect(throws: RequestSerializationError.self) { try QueryEncoding.encode(Array(parameters.utf8)) }
    }
}
