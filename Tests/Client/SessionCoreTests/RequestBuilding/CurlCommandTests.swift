import ErrandRequestSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The curl command of a request")
struct CurlCommandTests {
    var configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.userAgent = nil
        configuration.request.serializer = .json
        configuration.acceptsCompression = false
    }

    @Test("is one line with method, header fields, content and URL")
    func whole() throws {
        var configuration = configuration
        configuration.acceptsCompression = true
        let request = TaskRequest(
            method: "POST", path: "a?b=c&d", parameters: Array(#"{"a":"it's"}"#.utf8),
            headers: [TaskHeader("Accept", "*/*"), TaskHeader("X-Empty", "")])
        #expect(
            try prepare(request, in: configuration).curlCommand
                == #"curl -X POST --compressed -H 'Accept: */*' -H 'X-Empty;' -H 'Content-Type: application/json' "#
                + #"-H 'User-Agent:' --data-raw '{"a":"it'\''s"}' 'http://e.com/a?b=c&d'"#)
    }

    @Test("requests a head without content by its own option")
    func head() throws {
        #expect(
            try prepare(TaskRequest(method: "HEAD"), in: configuration).curlCommand
                == "curl --head -H 'User-Agent:' 'http://e.com/'")
    }

    @Test("shows no secret")
    func secrets() throws {
        let request = TaskRequest(headers: [
            TaskHeader("Authorization", "Bearer s3cret"), TaskHeader("Cookie", "s3cret=1"),
        ])
        let command = try prepare(request, in: configuration).curlCommand
        #expect(
            command
                == "curl -X GET -H 'Authorization: [redacted]' -H 'Cookie: [redacted]' -H 'User-Agent:' "
                + "'http://e.com/'")
    }

    @Test(
        "names a file for content that is long, binary or not UTF-8",
        arguments: [TaskBody.text(String(repeating: "a", count: 1025)), .bytes([0x61, 0]), .bytes([0xFF])])
    func file(body: TaskBody) throws {
        #expect(try prepare(TaskRequest(body: body), in: configuration).curlCommand.contains(" --data-binary @body "))
    }

    @Test("prevents curl from sending the type of a form for content without a type")
    func noContentType() throws {
        let request = TaskRequest(headers: [TaskHeader("Content-Type", nil)], body: .text("x"))
        #expect(
            try prepare(request, in: configuration).curlCommand
                == "curl -X POST -H 'User-Agent:' -H 'Content-Type:' --data-raw 'x' 'http://e.com/'")
    }

    @Test("prevents curl from sending an Accept that the task removes, unless a field is shown")
    func noAccept() throws {
        let removed = TaskRequest(headers: [TaskHeader("Accept", nil)])
        #expect(
            try prepare(removed, in: configuration).curlCommand
                == "curl -X GET -H 'Accept:' -H 'User-Agent:' 'http://e.com/'")
        let empty = TaskRequest(headers: [TaskHeader("accept", "")])
        #expect(
            try prepare(empty, in: configuration).curlCommand
                == "curl -X GET -H 'accept;' -H 'User-Agent:' 'http://e.com/'")
    }

    @Test("prevents curl from sending its User-Agent only if the request has none")
    mutating func userAgent() throws {
        configuration.userAgent = "errand/1.0"
        #expect(
            try prepare(TaskRequest(), in: configuration).curlCommand
                == "curl -X GET -H 'User-Agent: errand/1.0' 'http://e.com/'")
        let removed = TaskRequest(headers: [TaskHeader("User-Agent", nil)])
        #expect(
            try prepare(removed, in: configuration).curlCommand == "curl -X GET -H 'User-Agent:' 'http://e.com/'")
    }

    @Test(
        "quotes a method with characters that are special in a shell",
        arguments: [
            ("M-SEARCH", "M-SEARCH"), ("V2", "V2"), ("A|ID", "'A|ID'"), ("A&B", "'A&B'"), ("`ID`", "'`ID`'"),
            ("$A", "'$A'"), ("A'B", #"'A'\''B'"#), ("A_B", "'A_B'"), ("#", "'#'"),
        ])
    func method(method: String, quoted: String) async throws {
        var configuration = configuration
        configuration.allowedMethods = [try #require(HTTPRequest.Method(method))]
        let command = try prepare(TaskRequest(method: method), in: configuration).curlCommand
        #expect(command == "curl -X \(quoted) -H 'User-Agent:' 'http://e.com/'")
        #expect(try await words(of: command) == ["-X", method, "-H", "User-Agent:", "http://e.com/"])
    }

    @Test("is split by a shell into the intended words")
    func shell() async throws {
        let text = "a'b\"c$HOME`id`\\ !#é\n;&|"
        let request = TaskRequest(path: "x?q='$(id)'", headers: [TaskHeader("X-A", "it's `$x`")], body: .text(text))
        let command = try prepare(request, in: configuration).curlCommand
        #expect(
            try await words(of: command) == [
                "-X", "POST", "-H", "X-A: it's `$x`", "-H", "Content-Type: text/plain; charset=utf-8", "-H",
                "User-Agent:", "--data-raw", text,
                "http://e.com/x?q='$(id)'",
            ])
    }

    /// Returns the arguments into which a shell splits `command`.
    private func words(of command: String) async throws -> [String] {
        let script = #"curl() { printf '%s\036' "$@"; }; "# + command
        let result = try await ChildProcess("/bin/sh", ["-c", script]).result()
        #expect(result.exit == .status(0), "\(result.errors)")
        // The reader ends the last line, which the shell leaves open.
        return result.output.dropLast().split(separator: "\u{1E}").map(String.init)
    }
}
