import ErrandRequestSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

/// The content of requests, made from parameters and bodies.
///
/// The property list is as written by Python's `plistlib`, the compressed content as read by its `zlib`.
@Suite("Rules of the content of requests")
struct ContentSemanticsTests {
    @Test(
        "AFNetworking: the serializer makes content and its type from parameters",
        arguments: [
            ("form", .form, #"{"b":[1],"a":"x y"}"#, "a=x%20y&b%5B%5D=1", "application/x-www-form-urlencoded"),
            ("form without parameters: empty, and of its type", .form, nil, "", "application/x-www-form-urlencoded"),
            ("form of an empty object", .form, "{}", "", "application/x-www-form-urlencoded"),
            (
                "JSON of an object, byte for byte", .json, #"{"b":1.0, "a":"/é"}"#, #"{"b":1.0, "a":"/é"}"#,
                "application/json"
            ),
            ("JSON of an array", .json, "[1,2]", "[1,2]", "application/json"),
            ("JSON without parameters: nothing, and no type", .json, nil, nil, nil),
            ("property list without parameters: nothing, and no type", .plist, nil, nil, nil),
            ("raw without parameters: nothing, and no type", .raw, nil, nil, nil),
        ] as [(String, RequestSerializerKind, String?, String?, String?)])
    func serializers(
        rule: String, serializer: RequestSerializerKind, parameters: String?, content: String?, type: String?
    ) throws {
        let example = try Example { $0.request.serializer = serializer }
        for method in ["POST", "PUT", "PATCH"] {
            let request = try example.request(TaskRequest(method, json: parameters))
            #expect(request.content == content, "\(rule), \(method)")
            #expect(request.headers[.contentType] == type, "\(rule), \(method)")
            #expect(request.url.string == "http://e.com/", "\(rule), \(method)")
        }
    }

    @Test("AFNetworking: a property list is XML, version 1.0, and its type application/x-plist")
    func propertyList() throws {
        let example = try Example { $0.request.serializer = .plist }
        let parameters = #"{"name":"a < b","count":3,"tags":["x",true],"inner":{"empty":[]}}"#
        let request = try example.request(TaskRequest("POST", json: parameters))
        #expect(request.headers[.contentType] == "application/x-plist")
        #expect(
            request.content == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>name</key>
                \t<string>a &lt; b</string>
                \t<key>count</key>
                \t<integer>3</integer>
                \t<key>tags</key>
                \t<array>
                \t\t<string>x</string>
                \t\t<true/>
                \t</array>
                \t<key>inner</key>
                \t<dict>
                \t\t<key>empty</key>
                \t\t<array/>
                \t</dict>
                </dict>
                </plist>

                """)
    }

    @Test(
        "AFNetworking: the options of JSON writing",
        arguments: [
            ("none: nothing changes", .init(), #"{"b": [1, "/"], "a": 1.0}"#, #"{"b": [1, "/"], "a": 1.0}"#),
            ("sorted keys", .init(sortsKeys: true), #"{"b": 1, "a": 1.0}"#, #"{"a":1.0,"b":1}"#),
            ("pretty", .init(prettyPrinted: true), #"{"b":[1]}"#, "{\n  \"b\": [\n    1\n  ]\n}"),
            ("escaped slashes", .init(escapesSlashes: true), #"{"a":"/"}"#, #"{"a":"\/"}"#),
        ] as [(String, JSONWritingOptions, String, String)])
    func writingOptions(rule: String, options: JSONWritingOptions, parameters: String, content: String) throws {
        let example = try Example {
            $0.request.serializer = .json
            $0.request.options.json = options
        }
        #expect(try example.request(TaskRequest("POST", json: parameters)).content == content, "\(rule)")
    }

    @Test(
        "AFNetworking: parameters that the serializer cannot write are rejected with -1016",
        arguments: [
            ("JSON: a fragment", .json, #""a""#, []), ("JSON: no JSON", .json, "{", []),
            ("JSON: nothing", .json, "", []),
            ("property list: null", .plist, #"{"a":[0,null]}"#, ["a", "1"]),
            ("property list: a fragment", .plist, "1", []), ("raw: any", .raw, "{}", []),
        ] as [(String, RequestSerializerKind, String, [String])])
    func refused(rule: String, serializer: RequestSerializerKind, parameters: String, place: [String]) throws {
        let example = try Example { $0.request.serializer = serializer }
        let problems = example.problems(TaskRequest("POST", json: parameters))
        #expect(problems.map(\.pointer) == [["parameters"] + place], "\(rule)")
        #expect(problems.map(\.code.number) == [-1016] && problems.map(\.code.domain) == [.request], "\(rule)")
    }

    @Test(
        "AFNetworking: the type is the serializer's unless a header field sets one",
        arguments: [
            ("none", nil, [], "application/json"),
            ("the session", "a/session", [], "a/session"),
            ("the task, over the session", "a/session", [TaskHeader("content-type", "a/task")], "a/task"),
            ("the task, by removing it", nil, [TaskHeader("Content-Type", nil)], nil),
        ] as [(String, String?, [TaskHeader], String?)])
    func contentType(rule: String, session: String?, headers: [TaskHeader], expected: String?) throws {
        let example = try Example {
            $0.request.serializer = .json
            $0.headers[.contentType] = session
        }
        #expect(try example.request(TaskRequest("POST", json: "{}", headers)).headers[.contentType] == expected)
    }

    @Test(
        "a task may have its own content",
        arguments: [
            ("text", .text("é"), "é", "text/plain; charset=utf-8"),
            ("bytes", .bytes([0x61]), "a", "application/octet-stream"),
            ("any JSON value, byte for byte", .json(Array(" 1.0 ".utf8)), " 1.0 ", "application/json"),
        ] as [(String, TaskBody, String, String)])
    func bodies(rule: String, body: TaskBody, content: String, type: String) throws {
        let request = try Example().request(TaskRequest(body: body))
        #expect(request.method == .post, "a body makes it a POST")
        #expect(request.content == content && request.headers[.contentType] == type, "\(rule)")
    }

    @Test(
        "Alamofire: a body with GET is rejected, and so are parameters that would become one",
        arguments: [
            ("GET", .text("x"), nil), ("HEAD", .text("x"), nil), ("GET", nil, #"{"a":1}"#), ("HEAD", nil, #"{"a":1}"#),
        ] as [(String, TaskBody?, String?)])
    func bodyOfGET(method: String, body: TaskBody?, parameters: String?) throws {
        let example = try Example { $0.request.methodsWithParametersInURL = [] }
        var task = TaskRequest(method, json: parameters)
        task.body = body
        #expect(example.problems(task).map(\.pointer) == [[body == nil ? "parameters" : "body"]])
    }

    @Test(
        "Alamofire: content is compressed, unless it is small or encoded already, or the task removes the coding",
        arguments: [
            // A zlib stream begins with 78 and ends with an Adler-32 (RFC 1950), a gzip member begins with 1F 8B (RFC
            // 1952).
            ("deflate", .init(coding: .deflate, minBytes: 4), [], "deflate", [0x78]),
            ("gzip", .init(coding: .gzip, minBytes: 4), [], "gzip", [0x1F, 0x8B]),
            ("less than the minimum", .init(coding: .gzip, minBytes: 5), [], nil, [0x61, 0x61]),
            ("coded already", .init(coding: .gzip, minBytes: 4), [TaskHeader("Content-Encoding", "br")], "br", [0x61]),
            (
                "removed by the task", .init(coding: .gzip, minBytes: 4), [TaskHeader("Content-Encoding", nil)], nil,
                Array("aaaa".utf8)
            ),
        ] as [(String, RequestCompression, [TaskHeader], String?, [UInt8])])
    func compression(
        rule: String, compression: RequestCompression, headers: [TaskHeader], coding: String?, beginning: [UInt8]
    ) throws {
        let example = try Example { $0.request.compression = compression }
        let request = try example.request(TaskRequest(headers: headers, body: .text("aaaa")))
        #expect(request.headers[.contentEncoding] == coding, "\(rule)")
        guard case .bytes(let bytes) = request.body else {
            Issue.record("the content is not in memory")
            return
        }
        #expect(bytes.starts(with: beginning), "\(rule)")
        if coding == "deflate" { #expect(bytes.suffix(4) == [0x03, 0xCE, 0x01, 0x85], "the Adler-32 of aaaa") }
    }
}
