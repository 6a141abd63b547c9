import ErrandRequestSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The header fields of a request")
struct RequestBuilderHeadersTests {
    var configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.headers[.acceptLanguage] = "en;q=1"
        configuration.userAgent = "errand/1.0"
        configuration.urlScope = .any
    }

    private func fields(_ headers: [TaskHeader], path: String = "") throws -> [String] {
        try prepare(TaskRequest(path: path, headers: headers), in: configuration).transfer.headers.map(\.description)
    }

    @Test("are the session's, then the task's")
    func order() throws {
        #expect(
            try fields([TaskHeader("X-B", "2"), TaskHeader("x-a", "1")])
                == ["Accept-Language: en;q=1", "User-Agent: errand/1.0", "X-B: 2", "x-a: 1"])
    }

    @Test("of the session are replaced by the task's of the same name, in any case")
    func replaced() throws {
        #expect(
            try fields([TaskHeader("accept-language", "fr"), TaskHeader("USER-AGENT", "me")])
                == ["accept-language: fr", "USER-AGENT: me"])
    }

    @Test("of the session are removed by null")
    func removed() throws {
        #expect(
            try fields([TaskHeader("accept-language", nil), TaskHeader("X-None", nil)]) == ["User-Agent: errand/1.0"])
    }

    @Test("have the session's User-Agent unless its headers set one, or it is nil")
    func userAgent() throws {
        var configuration = configuration
        configuration.headers = [.userAgent: "from headers"]
        #expect(try prepare(TaskRequest(), in: configuration).transfer.headers[values: .userAgent] == ["from headers"])
        configuration.headers = [:]
        configuration.userAgent = nil
        #expect(try prepare(TaskRequest(), in: configuration).transfer.headers.isEmpty)
    }

    @Test("on another origin are only the User-Agent and the task's own")
    func otherOrigin() throws {
        #expect(
            try fields([TaskHeader("X-A", "1")], path: "https://e.com/") == ["User-Agent: errand/1.0", "X-A: 1"])
    }

    @Test("have the session's on any origin if it has no base URL")
    func noBase() throws {
        var configuration = configuration
        configuration.baseURL = nil
        let request = try prepare(TaskRequest(path: "http://o.com/"), in: configuration)
        #expect(request.transfer.headers[.acceptLanguage] == "en;q=1")
    }

    @Test("lose the whitespace around their values (RFC 9110 §5.5), and may be empty or not ASCII")
    func values() throws {
        var configuration = configuration
        configuration.headers = [:]
        configuration.userAgent = nil
        let request = TaskRequest(headers: [TaskHeader("A", " \tx y\t "), TaskHeader("B", ""), TaskHeader("C", "é")])
        #expect(try prepare(request, in: configuration).transfer.headers.map(\.value) == ["x y", "", "é"])
    }

    @Test("keep a Cookie in one field (RFC 6265 §5.4)")
    func cookie() throws {
        let request = TaskRequest(headers: [TaskHeader("Cookie", "a=1; b=2")])
        #expect(try prepare(request, in: configuration).transfer.headers[values: .cookie] == ["a=1; b=2"])
    }

    @Test("offer no content coding if the task removes Accept-Encoding")
    func acceptEncoding() throws {
        #expect(try prepare(TaskRequest(), in: configuration).transfer.acceptsCompression)
        let removed = TaskRequest(headers: [TaskHeader("Accept-Encoding", nil)])
        #expect(try !prepare(removed, in: configuration).transfer.acceptsCompression)
        var configuration = configuration
        configuration.acceptsCompression = false
        #expect(try !prepare(TaskRequest(), in: configuration).transfer.acceptsCompression)
    }

    @Test(
        "leave the content as it is if the task or session offers a coding that cannot be decoded",
        arguments: [
            ("br", false), ("gzip, br;q=0.5", false), ("*", false), ("zstd", false), ("gzip;q=1, deflate", true),
            ("x-gzip", true), ("identity", true), ("", true), ("gzip, br;q=0, *;q=0.000", true),
        ])
    func otherCodings(value: String, isDecoded: Bool) throws {
        let request = TaskRequest(headers: [TaskHeader("Accept-Encoding", value)])
        let transfer = try prepare(request, in: configuration).transfer
        #expect(transfer.acceptsCompression == isDecoded)
        #expect(transfer.headers[.acceptEncoding] == value)
        var configuration = configuration
        configuration.headers[.acceptEncoding] = value
        #expect(try prepare(TaskRequest(), in: configuration).transfer.acceptsCompression == isDecoded)
        configuration.headers[.acceptEncoding] = isDecoded ? "br" : "gzip"
        #expect(try prepare(request, in: configuration).transfer.acceptsCompression == isDecoded)
    }

    @Test("offer no content coding with a range: a part of encoded content cannot be decoded")
    func range() throws {
        let request = TaskRequest(headers: [TaskHeader("Range", "bytes=0-99")])
        #expect(try !prepare(request, in: configuration).transfer.acceptsCompression)
    }

    @Test("accept anything unless the task removes Accept")
    func accept() throws {
        #expect(try prepare(TaskRequest(), in: configuration).transfer.acceptsAnything)
        let removed = TaskRequest(headers: [TaskHeader("Accept", nil)])
        #expect(try !prepare(removed, in: configuration).transfer.acceptsAnything)
    }

    @Test("of multipart content have a fixed type, but an empty form may have any")
    func emptyForm() throws {
        let type = [TaskHeader("Content-Type", "text/x-nothing")]
        var request = TaskRequest(method: "POST", headers: type, requestSerializer: .multipart)
        #expect(try prepare(request, in: configuration).transfer.headers[.contentType] == "text/x-nothing")
        request.parameters = Array(#"{"a":1}"#.utf8)
        #expect(throws: RequestProblems.self) { try prepare(request, in: configuration) }
    }

    @Test("have the idempotency key as a structured string if the session forwards it")
    func idempotencyKey() throws {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        let request = TaskRequest(method: "POST", idempotencyKey: #"a "key" \1"#)
        let kept = try prepare(request, in: configuration)
        #expect(kept.transfer.headers[name] == nil, "it is not forwarded unless configured")
        #expect(!kept.carriesIdempotencyKey && !kept.transfer.mayResend)
        configuration.forwardsIdempotencyKey = true
        let sent = try prepare(request, in: configuration)
        #expect(sent.transfer.headers[name] == #""a \"key\" \\1""#)
        #expect(sent.carriesIdempotencyKey && sent.transfer.mayResend)
        let own = TaskRequest(method: "POST", headers: [TaskHeader("idempotency-key", "mine")], idempotencyKey: "k")
        #expect(try prepare(own, in: configuration).transfer.headers[name] == "mine")
        let removed = TaskRequest(method: "POST", headers: [TaskHeader("idempotency-key", nil)], idempotencyKey: "k")
        #expect(try prepare(removed, in: configuration).carriesIdempotencyKey == false)
        #expect(throws: RequestProblems.self) {
            try prepare(TaskRequest(method: "POST", idempotencyKey: "é"), in: configuration)
        }
    }

    @Test("that are rejected are problems at their names")
    func refused() {
        let request = TaskRequest(headers: [
            TaskHeader("X-A", "1"), TaskHeader("x-a", "2"), TaskHeader("content-length", "3"), TaskHeader("Host", nil),
            TaskHeader("", "4"), TaskHeader(":path", "5"), TaskHeader("X-B", "6\r\nX-C: 7"), TaskHeader("Naïve", "8"),
        ])
        let found = problems(request, in: configuration)
        #expect(
            found.map(\.pointer) == [
                ["headers", "x-a"], ["headers", "content-length"], ["headers", "Host"], ["headers", ""],
                ["headers", ":path"], ["headers", "X-B"], ["headers", "Naïve"],
            ])
        #expect(found.allSatisfy { $0.code == .unserializableParameters })
    }

    @Test("of the session that are rejected are problems of every request, at their names")
    func refusedOfSession() throws {
        var configuration = configuration
        let host = try #require(HTTPField.Name("Host"))
        configuration.headers[host] = "other"
        configuration.headers[.contentLength] = "1"
        for path in ["", "https://e.com/"] {
            let found = problems(TaskRequest(path: path), in: configuration)
            #expect(found.map(\.pointer) == [["headers", "Host"], ["headers", "Content-Length"]])
            #expect(found.allSatisfy { $0.code == .unserializableParameters })
        }
    }

    @Test("are limited in number")
    func tooMany() {
        let headers = (0..<70_000).map { TaskHeader("X-\($0)", "") }
        #expect(problems(TaskRequest(headers: headers), in: configuration).map(\.pointer) == [["headers"]])
        #expect(problems(TaskRequest(headers: Array(headers.prefix(256))), in: configuration).isEmpty)
    }
}
