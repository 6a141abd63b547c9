/// Requests that are almost valid: mutations of valid ones, deterministic for a seed.
package struct RequestMutator {
    private var random: SplitMix64

    /// Creates a mutator.
    ///
    /// - Parameter seed: The seed of the sequence of requests.
    package init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Returns the next request: a valid one with up to four changes.
    package mutating func next() -> [UInt8] {
        var request = Self.valid[Int.random(in: Self.valid.indices, using: &random)]
        for _ in 0..<Int.random(in: 0...4, using: &random) { change(&request) }
        return request
    }

    /// Returns a number below `bound` from the same sequence.
    package mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &random)
    }

    // MARK: Changes

    private enum Change: CaseIterable {
        case flipBit, replaceByte, insertByte, remove, truncate
        case duplicateLine, splice, enlargeNumber, insertPhrase, swell
    }

    private mutating func change(_ request: inout [UInt8]) {
        guard !request.isEmpty, let change = Change.allCases.randomElement(using: &random) else { return }
        let place = number(below: request.count)
        switch change {
        case .flipBit:
            request[place] ^= 1 << UInt8(number(below: 8))
        case .replaceByte:
            request[place] = UInt8.random(in: 0...255, using: &random)
        case .insertByte:
            request.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case .remove:
            request.removeSubrange(place..<min(request.count, place + 1 + number(below: 8)))
        case .truncate:
            request.removeSubrange(place...)
        case .duplicateLine:
            let line = line(around: place, of: request)
            request.insert(contentsOf: request[line], at: line.lowerBound)
        case .splice:
            let other = Self.valid[number(below: Self.valid.count)]
            request.replaceSubrange(place..., with: other[number(below: other.count)...])
        case .enlargeNumber:
            guard let digits = digits(from: place, of: request) else { return }
            request.replaceSubrange(digits, with: Self.numbers[number(below: Self.numbers.count)].utf8)
        case .insertPhrase:
            request.insert(contentsOf: Self.phrases[number(below: Self.phrases.count)].utf8, at: place)
        case .swell:
            let byte = request[place]
            request.insert(contentsOf: repeatElement(byte, count: 1 << number(below: 17)), at: place)
        }
    }

    /// Returns the line, with its end, that contains a position.
    private func line(around place: Int, of request: [UInt8]) -> Range<Int> {
        let start = request[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = request[place...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? request.count
        return start..<end
    }

    /// Returns the first number after a position.
    private func digits(from place: Int, of request: [UInt8]) -> Range<Int>? {
        let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        guard let start = request[place...].firstIndex(where: isDigit) else { return nil }
        return start..<(request[start...].firstIndex { !isDigit($0) } ?? request.count)
    }

    // MARK: Material

    private static let numbers = [
        "-1", "0", "00000000000000000001", "4294967296", "9223372036854775807", "18446744073709551616", "1e999", "0x10",
    ]

    private static let phrases = [
        "\r\n", "\n", "\r", "\0", "\r\n\r\n", " ", "\t", "\u{b}", "Content-Length: 7\r\n", "Content-Length : 7\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
        "Host: other\r\n", "Expect: 100-continue\r\n", "Connection: close\r\n", "Connection: Upgrade\r\n", "0\r\n\r\n",
        "ffffffffffffffff\r\n", "%00", "%2e%2e/", "//", "http://", "[[[[", #"{"session":"#, #""\ud800""#, "ſ",
        "HTTP/1.0", "HTTP/9.9", ":\r\n", ":\n", "\0\n", "\n\0\r\n", "\r\n ", "5;\r\n", ";bad[=x",
        "Content-Length:\r\n 47\r\n",
        "Transfer-Encoding:\r\n chunked\r\n", "http://localhost/", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]

    private static let unknown = "01932f5c-7a10-7abc-8def-0123456789ab"

    /// No HEAD, whose responses cannot be parsed without their requests, and no request that deletes a task.
    private static let valid: [[UInt8]] = [
        head("GET /healthz"),
        head("GET /v1/tasks?page_size=2&state=failed"),
        head("GET /v1/tasks/\(unknown)?wait=0s", "Prefer: wait=0"),
        head("GET /v1/tasks/\(unknown)/body", "Range: bytes=0-99", "If-Range: \"r1\"", "If-None-Match: W/\"r1\""),
        head("GET /v1/sessions"),
        head("OPTIONS /v1/tasks", "Origin: http://localhost", "Access-Control-Request-Method: POST"),
        head("POST /v1/tasks/\(unknown)/cancel", "Content-Length: 0"),
        post(#"{"session":"up","path":"a/b?c=d","priority":3,"labels":{"from":"mutant"}}"#),
        post(#"{"session":"raw","method":"PUT","body":{"text":"caf\u00e9"},"start":"suspended"}"#),
        head("POST /v1/tasks", "Content-Type: application/json", "Transfer-Encoding: chunked")
            + Array("a\r\n{\"session\"\r\n7;x=y\r\n: \"up\"}\r\n0\r\nTrailer: t\r\n\r\n".utf8),
        post(#"{"session":"up"}"#, "Expect: 100-continue"),
    ]

    private static func head(_ request: String, _ fields: String...) -> [UInt8] {
        head(request, fields)
    }

    private static func head(_ request: String, _ fields: [String]) -> [UInt8] {
        Array((["\(request) HTTP/1.1", "Host: localhost"] + fields + ["", ""]).joined(separator: "\r\n").utf8)
    }

    private static func post(_ json: String, _ fields: String...) -> [UInt8] {
        let content = ["Content-Type: application/json", "Content-Length: \(json.utf8.count)"]
        return head("POST /v1/tasks", content + fields) + Array(json.utf8)
    }
}
