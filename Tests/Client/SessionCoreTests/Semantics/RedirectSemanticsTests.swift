import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The rules for following redirects, and for the fields sent to their targets.
@Suite("Rules of redirects", .timeLimit(.hang))
struct RedirectSemanticsTests {
    private static func redirect(_ status: Int, _ location: String) -> ScriptedTransport.Step {
        .head(ResponseHead(status: status, headers: [.location: location]))
    }

    private func example(_ configure: (inout SessionConfiguration) -> Void = { _ in }) throws -> Example {
        try Example("http://a/b/c/") {
            $0.response.serializer = .raw
            configure(&$0)
        }
    }

    /// The examples of RFC 3986 §5.4.1 and §5.4.2, without fragments, which are not sent.
    @Test(
        "Location is resolved against the redirecting URL (RFC 9110 §10.2.2)",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
            (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"),
        ])
    func location(location: String, url: String) async throws {
        let task = TaskRequest(path: "d;p?q")
        let (outcome, requests) = try await example().exchange(
            task, responses: [[Self.redirect(302, location)], [.head(200)]])
        #expect(requests.map(\.url.string) == ["http://a/b/c/d;p?q", url])
        #expect(outcome.error == nil && outcome.response?.redirects == 1)
    }

    @Test(
        "the status and the method determine the next request (RFC 9110 §15.4)",
        arguments: [
            (301, "GET", "GET", false), (302, "GET", "GET", false), (303, "GET", "GET", false),
            (307, "GET", "GET", false), (308, "GET", "GET", false), (303, "HEAD", "HEAD", false),
            (301, "POST", "GET", false), (302, "POST", "GET", false), (303, "POST", "GET", false),
            (307, "POST", "POST", true), (308, "POST", "POST", true), (301, "PUT", "PUT", true),
            (302, "PATCH", "PATCH", true), (303, "PUT", "GET", false), (303, "DELETE", "GET", false),
            (302, "DELETE", "DELETE", true), (308, "DELETE", "DELETE", true),
        ])
    func method(status: Int, method: String, next: String, keepsContent: Bool) async throws {
        let hasBody = method != "GET" && method != "HEAD"
        let task = TaskRequest(method: method, body: hasBody ? .text("x") : nil)
        let (_, requests) = try await example().exchange(
            task, responses: [[Self.redirect(status, "/1")], [.head(200)]])
        #expect(requests.map(\.method.rawValue) == [method, next])
        #expect(requests.last?.content == (keepsContent ? "x" : nil))
        #expect(requests.last?.headers.contains(.contentType) == keepsContent)
    }

    @Test("fields that describe the content are dropped with it (RFC 9110 §15.4), the others are kept")
    func contentFields() async throws {
        let dropped = [
            "Content-Type", "Content-Language", "Content-Digest", "Repr-Digest", "Digest", "Last-Modified",
            "X-Amz-Content-SHA256",
        ]
        let headers = (dropped + ["X-Note"]).map { TaskHeader($0, "a") }
        let task = TaskRequest(method: "POST", headers: headers, body: .text("x"))
        let (_, requests) = try await example().exchange(
            task, responses: [[Self.redirect(303, "/1")], [.head(200)]])
        let names = requests.map { request in request.headers.map { $0.name.rawName } }
        #expect(names.first?.filter { dropped.contains($0) }.count == dropped.count)
        #expect(names.last?.contains { dropped.contains($0) } == false)
        #expect(names.last?.contains("X-Note") == true)
    }

    @Test("a session may keep the method after 301 and 302", arguments: [301, 302])
    func keepsMethod(status: Int) async throws {
        let (_, requests) = try await example { $0.redirects.keepsMethodOn301And302 = true }
            .exchange(TaskRequest(body: .text("x")), responses: [[Self.redirect(status, "/1")], [.head(200)]])
        #expect(requests.map(\.method) == [.post, .post] && requests.last?.content == "x")
    }

    @Test(
        "a response that is not a redirect is returned",
        arguments: [(302, nil), (300, "/1"), (304, "/1"), (305, "/1"), (306, "/1"), (201, "/1"), (200, "/1")]
            as [(Int, String?)])
    func noRedirect(status: Int, location: String?) async throws {
        var fields = HTTPFields()
        fields[.location] = location
        let (outcome, requests) = try await example().exchange(responses: [[.head(status, fields)]])
        #expect(requests.count == 1 && outcome.response?.head.status == status)
        #expect(outcome.numbers == ((200..<300).contains(status) ? [] : [-1011]))
    }

    @Test(
        "the session's policy determines whether a redirect is followed",
        arguments: [
            ("AFNetworking: all are", .follow, "http://b/", []),
            ("same origin: on the origin", .sameOrigin, "/1", []),
            ("same origin: to another host", .sameOrigin, "http://b/", [.redirectRefused, .unacceptableStatus]),
            ("same origin: to another port", .sameOrigin, "http://a:81/", [.redirectRefused, .unacceptableStatus]),
            ("same origin: to another scheme", .sameOrigin, "https://a/", [.redirectRefused, .unacceptableStatus]),
            ("AFNetworking: none, like a nil request", .refuse, "/1", [.redirectRefused, .unacceptableStatus]),
        ] as [(String, RedirectPolicy.Mode, String, [SessionErrorCode])])
    func policy(rule: String, mode: RedirectPolicy.Mode, location: String, codes: [SessionErrorCode]) async throws {
        let (outcome, requests) = try await example { $0.redirects.mode = mode }
            .exchange(responses: [[Self.redirect(302, location), .text("moved")], [.head(200), .text("moved")]])
        #expect(outcome.codes == codes, "\(rule)")
        #expect(requests.count == (codes.isEmpty ? 2 : 1))
        #expect(outcome.response?.body?.size == 5, "AFNetworking: a redirect that is not followed is the response")
    }

    @Test("AFNetworking: a refused redirect is a success if its status is acceptable")
    func acceptableRedirect() async throws {
        let example = try example {
            $0.redirects.mode = .refuse
            $0.response.acceptableStatuses = StatusSet([200...299, 302...302])
        }
        #expect(try await example.exchange(responses: [[Self.redirect(302, "/1")]]).outcome.error == nil)
    }

    @Test(
        "AFNetworking: exceeding the limit of redirects, by default 16, is -1007 with the last response",
        arguments: [nil, 0, 3])
    func limit(limit: Int?) async throws {
        let (outcome, requests) = try await example { if let limit { $0.redirects.limit = limit } }
            .exchange(responses: [[Self.redirect(302, "/")]])
        #expect(outcome.numbers == [-1007, -1011])
        #expect(requests.count == (limit ?? 16) + 1)
    }

    @Test(
        "a redirect with an invalid target is an error, with the response",
        arguments: [
            ("ftp://a/", -1002), ("mailto:a@b", -1002), ("g:h", -1002), ("http:g", -1000), ("http://u@a/", -1000),
        ])
    func nowhere(location: String, number: Int) async throws {
        let (outcome, _) = try await example().exchange(responses: [[Self.redirect(302, location)]])
        #expect(outcome.numbers == [number, -1011])
        #expect(outcome.response?.head.status == 302)
    }

    @Test(
        "everything meant for the session's origin stays there",
        arguments: [
            ("on the origin all fields are sent", "/1", ["X-Session", "Authorization", "Cookie", "X-Task"]),
            ("another host", "http://b/", ["X-Task"]), ("a host below", "http://x.a/", ["X-Task"]),
            ("another port", "http://a:81/", ["X-Task"]), ("another scheme", "https://a/", ["X-Task"]),
        ])
    func otherOrigin(rule: String, location: String, names: [String]) async throws {
        let session = try #require(HTTPField.Name("X-Session"))
        let task = TaskRequest(headers: [
            TaskHeader("Authorization", "Bearer t"), TaskHeader("Cookie", "a=1"), TaskHeader("X-Task", "1"),
        ])
        let (_, requests) = try await example { $0.headers[session] = "1" }
            .exchange(task, responses: [[Self.redirect(307, location)], [.head(200)]])
        #expect(requests.last?.headers.map(\.name.rawName) == names, "\(rule)")
    }

    @Test("a task's own value of a session field with a secret stays on the origin, those of other fields do not")
    func ownValues() async throws {
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let task = TaskRequest(headers: [TaskHeader("x-api-key", "own"), TaskHeader("Accept", "text/plain")])
        let (_, requests) = try await example { $0.headers = [key: "shared", .accept: "text/html"] }
            .exchange(task, responses: [[Self.redirect(307, "http://b/")], [.head(200)]])
        #expect(requests.map { $0.headers[key] } == ["own", nil])
        #expect(requests.map { $0.headers[.accept] } == ["text/plain", "text/plain"])
    }

    @Test(
        "another origin gets the User-Agent of the session, unless the task sets or removes it",
        arguments: [
            ("the session's own", nil, [], ["s/1", "s/1", "s/1"]),
            ("not that of the session's headers", "h/1", [], ["h/1", "s/1", "s/1"]),
            ("the task's", "h/1", [TaskHeader("User-Agent", "t/1")], ["t/1", "t/1", "t/1"]),
            ("removed by the task", nil, [TaskHeader("user-agent", nil)], [nil, nil, nil]),
            ("removed from the headers of the session", "h/1", [TaskHeader("user-agent", nil)], [nil, nil, nil]),
        ] as [(String, String?, [TaskHeader], [String?])])
    func userAgent(rule: String, field: String?, headers: [TaskHeader], expected: [String?]) async throws {
        let example = try example {
            $0.userAgent = "s/1"
            $0.headers[.userAgent] = field
        }
        let responses: [[ScriptedTransport.Step]] = [
            [Self.redirect(307, "http://b/")], [Self.redirect(307, "http://c/")], [.head(200)],
        ]
        let (_, requests) = try await example.exchange(TaskRequest(headers: headers), responses: responses)
        #expect(requests.map { $0.headers[.userAgent] } == expected, "\(rule)")
    }

    @Test(
        "a field of the task whose name tells that it carries a secret stays on the origin",
        arguments: [
            ("http://a/", "/1", true), ("http://a/", "http://b/", false), ("http://a/", "http://a:81/", false),
            ("http://a/", "https://a/", false), ("https://a/", "http://a/", false),
        ])
    func ownSecrets(base: String, location: String, isSent: Bool) async throws {
        let secrets = ["X-Api-Key", "X-Auth-Token", "Client-Secret", "X-Hub-Signature"]
        let others = ["X-Task", "Idempotency-Key"]
        let task = TaskRequest(headers: (secrets + others).map { TaskHeader($0, "1") })
        let (_, requests) = try await Example(base) { $0.response.serializer = .raw }
            .exchange(task, responses: [[Self.redirect(307, location)], [.head(200)]])
        let names = requests.map { $0.headers.map(\.name.rawName) }
        #expect(names == [secrets + others, isSent ? secrets + others : others])
    }

    @Test("a secret of the task is not sent again if a later redirect leads back")
    func secretsAfterReturn() async throws {
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let task = TaskRequest(headers: [TaskHeader("X-Api-Key", "own")])
        let responses: [[ScriptedTransport.Step]] = [
            [Self.redirect(307, "http://b/")], [Self.redirect(307, "http://a/b/c/")], [.head(200)],
        ]
        let (_, requests) = try await example().exchange(task, responses: responses)
        #expect(requests.map { $0.headers[key] } == ["own", nil, nil])
    }

    @Test(
        "AFNetworking: content is resent only if it can be read again, else -1021",
        arguments: [(true, []), (false, [-1021])] as [(Bool, [Int])])
    func replay(canRewind: Bool, numbers: [Int]) async throws {
        let source = ReplayedSource([1], canRewind: canRewind)
        let (outcome, requests) = try await example()
            .exchange(TaskRequest(body: .source(source)), responses: [[Self.redirect(307, "/1")], [.head(200)]])
        #expect(outcome.numbers == numbers)
        #expect(requests.count == (canRewind ? 2 : 1))
    }
}
