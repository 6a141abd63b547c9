import ErrandRequestSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

/// Parameters in the URL.
///
/// The expected texts are written by hand with Python's `urllib.parse.quote(text, safe="-._~/?")`.
@Suite("Rules of parameters in the URL")
struct QuerySemanticsTests {
    @Test(
        "AFNetworking: parameters become pairs",
        arguments: [
            ("keys ascend, case-sensitively", #"{"b":1,"a":2,"B":3,"aa":4}"#, "B=3&a=2&aa=4&b=1"),
            (
                "an object's keys are in brackets", #"{"user":{"name":"Ann","age":7}}"#,
                "user%5Bage%5D=7&user%5Bname%5D=Ann"
            ),
            ("an object in an object", #"{"a":{"b":{"c":1}}}"#, "a%5Bb%5D%5Bc%5D=1"),
            (
                "an array has empty brackets and keeps its order", #"{"ids":[3,1,2]}"#,
                "ids%5B%5D=3&ids%5B%5D=1&ids%5B%5D=2"
            ),
            ("an array of arrays", #"{"a":[[1],[2]]}"#, "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2"),
            ("an array of objects", #"{"a":[{"c":2,"b":1}]}"#, "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bc%5D=2"),
            ("null becomes a key without =", #"{"a":null}"#, "a"),
            ("null in an array", #"{"b":[null]}"#, "b%5B%5D"),
            ("an empty string is a key with =", #"{"a":""}"#, "a="),
            ("an empty array is omitted", #"{"a":[],"b":1}"#, "b=1"),
            ("an empty object is omitted", #"{"a":{},"b":1}"#, "b=1"),
            ("true is 1 and false is 0", #"{"yes":true,"no":false}"#, "no=0&yes=1"),
            ("an integer of any size", #"{"d":12345678901234567890}"#, "d=12345678901234567890"),
            ("a string of digits", #"{"d":"007"}"#, "d=007"),
        ])
    func pairs(rule: String, parameters: String, query: String) throws {
        #expect(try Example().request(TaskRequest("GET", json: parameters)).url.query == query, "\(rule)")
    }

    @Test(
        "numbers are as written in the JSON, where AFNetworking prints 1.0 as 1",
        arguments: [("1.0", "1.0"), ("1.10", "1.10"), ("-0", "-0"), ("1e400", "1e400"), ("1E+2", "1E%2B2")])
    func numbers(number: String, text: String) throws {
        #expect(try Example().request(TaskRequest("GET", json: "{\"a\":\(number)}")).url.query == "a=\(text)")
    }

    @Test(
        "AFNetworking: keys and values are percent-encoded UTF-8",
        arguments: [
            ("unreserved characters, / and ? stay", #"{"a":"AZaz09-._~/?"}"#, "a=AZaz09-._~/?"),
            (
                "the other reserved characters are escaped, in upper-case digits", #"{"a":":#[]@!$&'()*+,;="}"#,
                "a=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"
            ),
            ("a space is %20", #"{"a b":"c d"}"#, "a%20b=c%20d"),
            ("a plus sign is %2B", #"{"a":"1+1=2"}"#, "a=1%2B1%3D2"),
            ("a percent sign is always escaped", #"{"a":"100%25"}"#, "a=100%2525"),
            ("control characters", #"{"a":"\r\n\t\u0000"}"#, "a=%0D%0A%09%00"),
            ("letters outside of ASCII", #"{"naïve":"Zürich 東京"}"#, "na%C3%AFve=Z%C3%BCrich%20%E6%9D%B1%E4%BA%AC"),
            (
                "a character of several scalars", #"{"a":"👨‍👩‍👧‍👦"}"#,
                "a=%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%E2%80%8D%F0%9F%91%A6"
            ),
            (
                "a composed character across AFNetworking's batch of 50 units",
                #"{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa👨‍👩‍👧‍👦b"}"#,
                "a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                    + "%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%E2%80%8D%F0%9F%91%A6b"
            ),
            (
                "a surrogate pair across the batch",
                #"{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa😀bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbé"}"#,
                "a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%F0%9F%98%80"
                    + "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb%C3%A9"
            ),
        ])
    func escaping(rule: String, parameters: String, query: String) throws {
        #expect(try Example().request(TaskRequest("GET", json: parameters)).url.query == query, "\(rule)")
    }

    @Test(
        "AFNetworking: the query is appended to the URL",
        arguments: [
            ("after a ?", "x", #"{"a":1}"#, "http://e.com/x?a=1"),
            ("after & where there is a query", "x?y=2", #"{"a":1}"#, "http://e.com/x?y=2&a=1"),
            ("to the base URL", "", #"{"a":1}"#, "http://e.com/?a=1"),
            ("an empty one adds nothing", "x", "{}", "http://e.com/x"),
            ("an empty one adds nothing to a query", "x?y=2", #"{"a":[]}"#, "http://e.com/x?y=2"),
        ])
    func insertion(rule: String, path: String, parameters: String, url: String) throws {
        #expect(try Example().request(TaskRequest("GET", path, json: parameters)).url.string == url, "\(rule)")
    }

    @Test(
        "AFNetworking: GET, HEAD and DELETE have their parameters in the URL, whatever the serializer",
        arguments: ["GET", "HEAD", "DELETE", "get"], RequestSerializerKind.allCases)
    func methods(method: String, serializer: RequestSerializerKind) throws {
        let example = try Example { $0.request.serializer = serializer }
        let request = try example.request(TaskRequest(method, json: #"{"a":1}"#))
        #expect(request.url.query == "a=1")
        #expect(request.content == nil && request.headers.isEmpty)
    }

    @Test("AFNetworking: the methods with parameters in the URL are configurable")
    func otherMethods() throws {
        let example = try Example { $0.request.methodsWithParametersInURL = [.get, .post] }
        #expect(try example.request(TaskRequest("POST", json: #"{"a":1}"#)).url.query == "a=1")
        let delete = try example.request(TaskRequest("DELETE", json: #"{"a":1}"#))
        #expect(delete.url.query == nil && delete.content == "a=1")
    }

    @Test(
        "Alamofire: the form encoder has a choice of styles",
        arguments: [
            ("arrays with indices", .init(arrays: .indices), #"{"a":[1,2]}"#, "a%5B0%5D=1&a%5B1%5D=2"),
            ("arrays without brackets", .init(arrays: .repeat), #"{"a":[1,2]}"#, "a=1&a=2"),
            ("arrays as a list", .init(arrays: .comma), #"{"a":[1,"x,y"]}"#, "a=1,x%2Cy"),
            ("dots for key paths", .init(nested: .dots), #"{"a":{"b":1}}"#, "a.b=1"),
            ("booleans as words", .init(booleans: .literal), #"{"a":true}"#, "a=true"),
            ("nulls dropped", .init(nulls: .drop), #"{"a":null,"b":1}"#, "b=1"),
            ("nulls as empty values", .init(nulls: .empty), #"{"a":null}"#, "a="),
            ("nulls as the word", .init(nulls: .literal), #"{"a":null}"#, "a=null"),
            ("spaces as plus signs", .init(spaces: .plus), #"{"a b":"c d+e"}"#, "a+b=c+d%2Be"),
        ] as [(String, ParameterEncoding, String, String)])
    func styles(rule: String, style: ParameterEncoding, parameters: String, query: String) throws {
        let example = try Example { $0.request.options.parameters = style }
        #expect(try example.request(TaskRequest("GET", json: parameters)).url.query == query, "\(rule)")
    }
}
