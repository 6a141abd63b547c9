import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The header fields of the session, those of the task, and those that neither may set.
@Suite("Rules of request headers")
struct HeaderSemanticsTests {
    @Test(
        "fields of the task take precedence over those of the session",
        arguments: [
            ("AFNetworking: defaults are sent", [], ["Accept-Language: en;q=1", "X-Team: a"]),
            (
                "AFNetworking: a field per task replaces a default", [TaskHeader("X-Team", "b")],
                ["Accept-Language: en;q=1", "X-Team: b"]
            ),
            (
                "Alamofire: names are the same in any case", [TaskHeader("x-TEAM", "b")],
                ["Accept-Language: en;q=1", "x-TEAM: b"]
            ),
            ("AFNetworking: nil removes a default", [TaskHeader("Accept-Language", nil)], ["X-Team: a"]),
            (
                "removing an absent field changes nothing", [TaskHeader("X-B", nil)],
                ["Accept-Language: en;q=1", "X-Team: a"]
            ),
            (
                "Alamofire: fields keep their order", [TaskHeader("X-B", "2"), TaskHeader("X-A", "1")],
                ["Accept-Language: en;q=1", "X-Team: a", "X-B: 2", "X-A: 1"]
            ),
            (
                "white space around a value is removed (RFC 9110 §5.5)", [TaskHeader("X-Team", " \tb ")],
                ["Accept-Language: en;q=1", "X-Team: b"]
            ),
        ] as [(String, [TaskHeader], [String])])
    func merged(rule: String, headers: [TaskHeader], expected: [String]) throws {
        let example = try Example { $0.headers = [.acceptLanguage: "en;q=1", Self.team: "a"] }
        #expect(try example.request(TaskRequest(headers: headers)).headers.map(\.description) == expected, "\(rule)")
    }

    private static let team = HTTPField.Name("X-Team") ?? .accept

    @Test(
        "the User-Agent is the session's, unless a header field sets another",
        arguments: [
            ("the default", nil, [], SessionConfiguration.defaultUserAgent),
            ("a header of the session", "mine/1", [], "mine/1"),
            ("a header of the task", "mine/1", [TaskHeader("user-agent", "task/1")], "task/1"),
            ("none", nil, [TaskHeader("User-Agent", nil)], nil),
        ] as [(String, String?, [TaskHeader], String?)])
    func userAgent(rule: String, session: String?, headers: [TaskHeader], expected: String?) throws {
        let example = try Example {
            $0.userAgent = SessionConfiguration.defaultUserAgent
            $0.headers[.userAgent] = session
        }
        #expect(try example.request(TaskRequest(headers: headers)).headers[.userAgent] == expected, "\(rule)")
    }

    @Test(
        "fields about framing and connections are rejected, with a reason",
        arguments: [
            "Host", "Content-Length", "transfer-encoding", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer",
            "Expect", "Proxy-Authorization", "Proxy-Connection",
        ])
    func refusedNames(name: String) throws {
        let problems = try Example().problems(TaskRequest(headers: [TaskHeader(name, "x")]))
        #expect(problems.map(\.pointer) == [["headers", name]])
        #expect(problems.allSatisfy { !$0.detail.isEmpty })
    }

    @Test(
        "an invalid header field is rejected",
        arguments: [
            ("a value that begins another field", "X-A", "1\r\nX-B: 2"), ("a line feed", "X-A", "1\n2"),
            ("NUL", "X-A", "1\u{0}2"), ("a control character", "X-A", "\u{1B}[0m"), ("no name", "", "1"),
            ("a name with a space", "X A", "1"), ("a name with a colon", "X:", "1"), ("a name beyond ASCII", "é", "1"),
        ])
    func refusedFields(rule: String, name: String, value: String) throws {
        let problems = try Example().problems(TaskRequest(headers: [TaskHeader(name, value)]))
        #expect(problems.map(\.pointer) == [["headers", name]], "\(rule)")
    }

    @Test("Alamofire: content codings are offered and decoded, unless the task removes Accept-Encoding")
    func acceptEncoding() throws {
        let example = try Example()
        #expect(try example.request(TaskRequest()).acceptsCompression)
        let removed = TaskRequest(headers: [TaskHeader("accept-encoding", nil)])
        #expect(try !example.request(removed).acceptsCompression)
    }

    @Test(
        "a method is a word in any case, which the session must allow",
        arguments: [
            ("GET", .get, []), ("patch", .patch, []), ("Options", .options, []), (nil, .get, []),
            ("TRACE", nil, [.methodNotAllowed]), ("GET / HTTP/1.1\r\n", nil, [.methodNotAllowed]),
            ("", nil, [.methodNotAllowed]),
        ] as [(String?, HTTPRequest.Method?, [SessionErrorCode])])
    func methods(name: String?, method: HTTPRequest.Method?, codes: [SessionErrorCode]) throws {
        let example = try Example()
        let task = TaskRequest(method: name)
        #expect(example.problems(task).map(\.code) == codes)
        if let method { #expect(try example.request(task).method == method) }
    }

    @Test(
        "TRACE and CONNECT are refused even if the session allows them (RFC 9110 §9.3.8)",
        arguments: ["TRACE", "CONNECT"])
    func refusedMethods(name: String) throws {
        let example = try Example { $0.allowedMethods = [.get, .trace, .connect] }
        let problems = example.problems(TaskRequest(method: name))
        #expect(problems.map(\.code) == [.methodNotAllowed])
        #expect(problems.first?.detail.hasPrefix("\(name) is not supported") == true)
    }

    @Test("timeouts are the session's, each unless the task sets its own")
    func timeouts() throws {
        let request = try Example().request(TaskRequest(timeouts: TaskTimeouts(idle: .seconds(5))))
        #expect(
            request.timeouts == TransferTimeouts(connect: .seconds(10), idle: .seconds(5), total: .seconds(3600)))
    }

    @Test("Alamofire: a request is shown as a command line, quotes escaped, each header once")
    func curlCommand() throws {
        let session = try Example { $0.headers = [.accept: "a/b"] }.session(over: ScriptedTransport([]))
        let headers = [TaskHeader("accept", "it's"), TaskHeader("Accept-Encoding", nil)]
        let prepared = try session.prepare(TaskRequest(method: "PUT", path: "x", headers: headers, body: .text("a'b")))
        #expect(
            prepared.curlCommand
                == #"""
                curl -X PUT -H 'accept: it'\''s' -H 'Content-Type: text/plain; charset=utf-8' \
                -H 'User-Agent:' --data-raw 'a'\''b' 'http://e.com/x'
                """#.replacing(" \\\n", with: " "))
    }
}
