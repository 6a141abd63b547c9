import Testing

/// A request that two servers might interpret differently, with the expected result.
struct HostileRequest: Sendable, CustomTestStringConvertible {
    /// The result of a request.
    enum Verdict: Sendable, Equatable {
        /// A single response with this status, a problem document, and the end of the connection, without a handler call.
        case refused(Int)
        /// The request is accepted with this content, and the following bytes are the next request.
        case accepted(String)
    }

    let name: String
    let raw: [UInt8]
    let verdict: Verdict

    var testDescription: String { name }

    private init(_ name: String, _ raw: String, _ verdict: Verdict) {
        self.name = name
        self.raw = Array(raw.utf8)
        self.verdict = verdict
    }

    static let all = lengths + codings + chunks + fields + lines + mended

    private static func post(_ lines: String, _ content: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: test\r\n\(lines)\r\n\(content)"
    }

    // MARK: Content-Length

    private static let lengths = [
        length("5", .accepted("hello")),
        length("  5", .accepted("hello")),
        length("\t5", .accepted("hello")),
        length("5 \t", .refused(400)),
        length("0000000000000000000005", .accepted("hello")),
        length("+5", .refused(400)),
        length("-5", .refused(400)),
        length("-0", .refused(400)),
        length("0x5", .refused(400)),
        length("5, 5", .refused(400)),
        length("5,", .refused(400)),
        length("5 5", .refused(400)),
        length("5;", .refused(400)),
        length("5a", .refused(400)),
        length("5.0", .refused(400)),
        length("1e1", .refused(400)),
        length("\"5\"", .refused(400)),
        length("٥", .refused(400)),
        length("\u{0B}5", .refused(400)),
        length("five", .refused(400)),
        length("", .refused(400)),
        length("9223372036854775807", .refused(400)),
        length("9223372036854775808", .refused(400)),
        length("18446744073709551615", .refused(400)),
        length("18446744073709551621", .refused(400)),
        length("340282366920938463463374607431768211461", .refused(400)),
        HostileRequest(
            "twice the same length", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), .refused(400)),
        HostileRequest("two lengths", post("Content-Length: 5\r\nContent-Length: 0\r\n", "hello"), .refused(400)),
        HostileRequest("two other lengths", post("Content-Length: 0\r\nContent-Length: 5\r\n", "hello"), .refused(400)),
        HostileRequest(
            "two lengths in different spelling", post("content-length: 5\r\nCONTENT-LENGTH: 6\r\n", "hello"),
            .refused(400)),
        HostileRequest(
            "a length with a space before the colon", post("Content-Length : 5\r\n", "hello"), .refused(400)),
        HostileRequest("a length with a tab before the colon", post("Content-Length\t: 5\r\n", "hello"), .refused(400)),
        HostileRequest("a length with an underscore is none", post("Content_Length: 34\r\n"), .accepted("")),
        HostileRequest(
            "a GET has a content if it says so", "GET / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello",
            .accepted("hello")),
    ]

    private static func length(_ value: String, _ verdict: Verdict) -> HostileRequest {
        HostileRequest(
            "Content-Length: \(value.debugDescription)", post("Content-Length: \(value)\r\n", "hello"), verdict)
    }

    // MARK: Transfer-Encoding

    private static let codings = [
        coding("chunked", .accepted("hello")),
        coding("Chunked", .accepted("hello")),
        coding(" \t chunked", .accepted("hello")),
        coding("chunked ", .refused(400)),
        coding("chunked\t", .refused(400)),
        coding("\u{0B}chunked", .refused(400)),
        coding("chunked,", .refused(400)),
        coding(", chunked", .refused(400)),
        coding("chunked, chunked", .refused(400)),
        coding("chunked, identity", .refused(400)),
        coding("identity, chunked", .refused(400)),
        coding("gzip, chunked", .refused(400)),
        coding("chunked;q=1", .refused(400)),
        coding("\"chunked\"", .refused(400)),
        coding("xchunked", .refused(400)),
        coding("chunkedx", .refused(400)),
        coding("cow", .refused(400)),
        coding("identity", .refused(400)),
        coding("", .refused(400)),
        HostileRequest(
            "a coding and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", hello), .refused(400)),
        HostileRequest(
            "a length and a coding", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", hello), .refused(400)),
        HostileRequest(
            "no length and a coding", post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", hello), .refused(400)),
        HostileRequest(
            "an unknown coding and a length", post("Content-Length: 5\r\nTransfer-Encoding: cow\r\n", "hello"),
            .refused(400)),
        HostileRequest(
            "two codings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", hello), .refused(400)),
        HostileRequest(
            "two codings in different spelling",
            post("Transfer-Encoding: cow\r\ntransfer-encoding: chunked\r\n", hello),
            .refused(400)),
        HostileRequest(
            "a coding with a space before the colon", post("Transfer-Encoding : chunked\r\n", hello), .refused(400)),
        HostileRequest(
            "a coding with an underscore is none", post("Transfer_Encoding: chunked\r\n"), .accepted("")),
        HostileRequest(
            "a coding in HTTP/1.0", "POST / HTTP/1.0\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n\(hello)",
            .refused(400)),
    ]

    private static let hello = "5\r\nhello\r\n0\r\n\r\n"

    private static func coding(_ value: String, _ verdict: Verdict) -> HostileRequest {
        HostileRequest(
            "Transfer-Encoding: \(value.debugDescription)", post("Transfer-Encoding: \(value)\r\n", hello), verdict)
    }

    // MARK: Chunks

    private static let chunks = [
        chunk("5;a=b\r\nhello\r\n0\r\n\r\n", .accepted("hello")),
        chunk("5;a=\"b;c\"\r\nhello\r\n0;x\r\n\r\n", .accepted("hello")),
        chunk("0005\r\nhello\r\n000\r\n\r\n", .accepted("hello")),
        chunk("5\r\nhello\r\n0\r\nContent-Length: 50\r\nTransfer-Encoding: cow\r\nHost: b\r\n\r\n", .accepted("hello")),
        chunk("10000000000000005\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("fffffffffffffffff\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("-5\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("+5\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("0x5\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk(" 5\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("5 \r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk(";a\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("g\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("5,\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("5\r\nhello0\r\n\r\n", .refused(400)),
        chunk("5\r\nhelloX\r\n0\r\n\r\n", .refused(400)),
        chunk("5\r\nhel\r\n0\r\n\r\n", .refused(400)),
        chunk("zz\r\n", .refused(400)),
    ]

    private static func chunk(_ content: String, _ verdict: Verdict) -> HostileRequest {
        HostileRequest("chunks \(content.debugDescription)", post("Transfer-Encoding: chunked\r\n", content), verdict)
    }

    // MARK: Header fields

    private static let fields = [
        HostileRequest("a line that continues the last one", post("X: 1\r\n Content-Length: 34\r\n"), .refused(400)),
        HostileRequest("a line that continues with a tab", post("X: 1\r\n\tContent-Length: 34\r\n"), .refused(400)),
        HostileRequest("a name with a space", post("X Y: 1\r\n"), .refused(400)),
        HostileRequest("a name with a parenthesis", post("X(: 1\r\n"), .refused(400)),
        HostileRequest("a name beyond ASCII", post("Ä: 1\r\n"), .refused(400)),
        HostileRequest("a control character in a value", post("X: a\u{1}b\r\n"), .refused(400)),
        HostileRequest("a DEL in a value", post("X: a\u{7F}b\r\n"), .refused(400)),
        HostileRequest("a line without a colon", post("Garbage\r\n"), .refused(400)),
        HostileRequest("NUL in a name", post("X\0Y: 1\r\n"), .refused(400)),
        HostileRequest("a field after a lone CR", post("X: 1\rContent-Length: 5\r\n", "hello"), .refused(400)),
        HostileRequest("lines that end with CR", "GET / HTTP/1.1\rHost: test\r\r", .refused(400)),
        HostileRequest("no Host", "GET / HTTP/1.1\r\n\r\n", .refused(400)),
        HostileRequest("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .refused(400)),
        HostileRequest("twice the same Host", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", .refused(400)),
        HostileRequest("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .refused(400)),
        HostileRequest("a Host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", .refused(400)),
        HostileRequest("a Host that is a list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .refused(400)),
        HostileRequest("a Host with a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", .refused(400)),
        HostileRequest("a Host in the first line's continuation", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", .refused(400)),
    ]

    // MARK: Request lines

    private static let lines = [
        line("GET /a b HTTP/1.1", .refused(400)),
        line("GET\t/ HTTP/1.1", .refused(400)),
        line("GET /\tHTTP/1.1", .refused(400)),
        line(" GET / HTTP/1.1", .refused(400)),
        line("GET http:///a HTTP/1.1", .refused(400)),
        line("GET http://a@b/ HTTP/1.1", .refused(400)),
        line("GET ftp://test/ HTTP/1.1", .refused(400)),
        line("GET test:80 HTTP/1.1", .refused(400)),
        line("GET * HTTP/1.1", .refused(400)),
        line("GET /\u{1} HTTP/1.1", .refused(400)),
        line("GET /ä HTTP/1.1", .refused(400)),
        line("GET /#a HTTP/1.1", .refused(400)),
        line("GET /%00 HTTP/1.1", .refused(400)),
        line("GET /a%00b/.. HTTP/1.1", .refused(400)),
        line("GET /%f HTTP/1.1", .refused(400)),
        line("GET /%C0%AF HTTP/1.1", .refused(400)),
        line("GET /a\u{7F} HTTP/1.1", .refused(400)),
        line("GET relative HTTP/1.1", .refused(400)),
        line("CONNECT test:80 HTTP/1.1", .refused(501)),
        line("get / HTTP/1.1", .refused(501)),
        line("FOO / HTTP/1.1", .refused(501)),
        line("PROPFIND / HTTP/1.1", .refused(501)),
        line("G@T / HTTP/1.1", .refused(400)),
        // A later minor version is equivalent (RFC 9110 §2.5).
        line("GET / HTTP/1.2", .accepted("")),
        line("GET / HTTP/1.10", .refused(400)),
        line("GET / HTTP/1.1 ", .refused(400)),
        line("GET / http/1.1", .refused(400)),
        line("GET / HTTP/2.0", .refused(505)),
        line("GET / HTTP/0.9", .refused(505)),
        line("GET / XTTP/1.1", .refused(400)),
        line("GET /", .refused(400)),
        line("GET", .refused(400)),
        line("\u{16}\u{3}\u{1}", .refused(400)),
        line("\r\nGET / HTTP/1.1", .accepted("")),
        line("\r\n\r\nGET / HTTP/1.1", .accepted("")),
        HostileRequest("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .refused(505)),
    ]

    private static func line(_ line: String, _ verdict: Verdict) -> HostileRequest {
        HostileRequest("request line \(line.debugDescription)", "\(line)\r\nHost: test\r\n\r\n", verdict)
    }

    // MARK: Faults that libmicrohttpd tolerates

    /// Faults that a server must reject (RFC 9112), and that libmicrohttpd repairs before other code sees them.
    static let mended = [
        HostileRequest("two spaces in the request line", "GET  / HTTP/1.1\r\nHost: test\r\n\r\n", .refused(400)),
        HostileRequest("lines that end with LF", "GET / HTTP/1.1\nHost: test\n\n", .refused(400)),
        HostileRequest("a field after a lone LF", post("X: 1\nContent-Length: 5\r\n", "hello"), .refused(400)),
        HostileRequest("NUL in a value", post("X: a\0b\r\n"), .refused(400)),
        HostileRequest("NUL at the end of a value", post("X: a\0\r\n"), .refused(400)),
        HostileRequest("NUL instead of CR", post("X: a\0\n"), .refused(400)),
        HostileRequest("NUL after a length", post("Content-Length: 0\u{0}37\r\n", hidden), .refused(400)),
        HostileRequest(
            "NUL after a coding", post("Transfer-Encoding: chunked\0x\r\n", hello), .refused(400)),
        HostileRequest("NUL in the target", "GET /\0/hidden HTTP/1.1\r\nHost: test\r\n\r\n", .refused(400)),
        HostileRequest("NUL before the method", "\0GET / HTTP/1.1\r\nHost: test\r\n\r\n", .refused(400)),
        HostileRequest("a line that begins with NUL", post("\0\r\n"), .refused(400)),
        HostileRequest("a field without a name", post(": 1\r\n"), .refused(400)),
        HostileRequest("a field of a colon only", post(":\r\n"), .refused(400)),
        HostileRequest(
            "a colon and LF for the empty line", "GET / HTTP/1.1\r\nHost: test\r\n:\n", .refused(400)),
        HostileRequest("a length on the next line", post("Content-Length:\r\n 37\r\n", hidden), .refused(400)),
        HostileRequest(
            "a coding on the next line", post("Content-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n", hello),
            .refused(400)),
        HostileRequest(
            "a chunk that ends with LF", post("Transfer-Encoding: chunked\r\n", "5\r\nhello\n0\r\n\r\n"),
            .refused(400)),
        HostileRequest(
            "a chunk's size that ends with LF", post("Transfer-Encoding: chunked\r\n", "5\nhello\r\n0\r\n\r\n"),
            .refused(400)),
        chunk("5;\r\nhello\r\n0\r\n\r\n", .refused(400)),
        chunk("5;bad[=x\r\nhello\r\n0\r\n\r\n", .refused(400)),
        HostileRequest(
            "a chunk extension of 64 KiB",
            post("Transfer-Encoding: chunked\r\n", "5;\(String(repeating: "a", count: 65_536))\r\nhello\r\n0\r\n\r\n"),
            .refused(400)),
        HostileRequest(
            "more cookies than there is memory for", post("Cookie: \(String(repeating: "a;", count: 4000))\r\n"),
            .refused(431)),
        HostileRequest(
            "more query parameters than there is memory for",
            "GET /?\(String(repeating: "a&", count: 4000)) HTTP/1.1\r\nHost: test\r\n\r\n", .refused(431)),
        HostileRequest(
            "more fields than there is memory for", post(String(repeating: "a:\r\n", count: 4000)), .refused(431)),
        HostileRequest("three empty lines", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: test\r\n\r\n", .refused(400)),
    ]

    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: test\r\n\r\n"
}
