import ErrandCryptography
import ErrandLocking
import ErrandSupport
import ErrandText

/// An upstream with one file, which answers ranges and cuts connections.
final class RangedUpstream: Sendable {
    let content: [UInt8]
    private let state: Mutex<State>

    private struct State {
        var random = SplitMix64(seed: 11)
        var cuts: Int
        var served = 0
        var ranges = 0
    }

    /// Creates an upstream.
    ///
    /// - Parameters:
    ///   - size: The size of the file, in bytes.
    ///   - cuts: The number of responses that end early, after at most a quarter of the file.
    init(_ size: Int, cuts: Int = 0) {
        var random = SplitMix64(seed: 7)
        content = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        state = Mutex(State(cuts: cuts))
    }

    /// The SHA-256 of the file, in hexadecimal digits.
    var digest: String { Hexadecimal.encode(SHA256.hash(content)) }

    /// Returns the digest of the file, in hexadecimal digits.
    func digest(_ function: HashFunction) throws -> String {
        guard var digest = IncrementalDigest(function) else { throw MissingFunction() }
        digest.update(content)
        return Hexadecimal.encode(digest.finish())
    }

    /// The system's OpenSSL does not have a hash function.
    private struct MissingFunction: Error {}

    /// The number of content bytes that were sent.
    var served: Int { state.withLock { $0.served } }

    /// The number of requests for the rest of the file.
    var ranges: Int { state.withLock { $0.ranges } }

    /// Answers the requests of a connection.
    @Sendable func answer(_ connection: ScriptedConnection) throws {
        while true {
            let request = try connection.readRequest()
            if request.line.contains(" /missing/large") {
                // The client may end a response that is too large.
                try? connection.respond("404 Not Found", body: String(repeating: "a", count: 9 << 20))
                return
            }
            if request.line.contains(" /missing") {
                try connection.respond("404 Not Found", ["Content-Type: application/json"], body: #"{"no":1}"#)
                continue
            }
            let offset = request["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
            let end = state.withLock { state -> Int in
                if offset > 0 { state.ranges += 1 }
                guard state.cuts > 0 else { return content.count }
                state.cuts -= 1
                return min(content.count, offset + 1 + Int.random(in: 0..<content.count / 4, using: &state.random))
            }
            let status = offset > 0 ? "206 Partial Content" : "200 OK"
            let range =
                offset > 0 ? "Content-Range: bytes \(offset)-\(content.count - 1)/\(content.count)\r\n" : ""
            try connection.send(
                "HTTP/1.1 \(status)\r\nETag: \"v1\"\r\nContent-Type: application/octet-stream\r\n\(range)"
                    + "Content-Disposition: attachment; filename*=UTF-8''r%C3%A9port.bin\r\n"
                    + "Content-Length: \(content.count - offset)\r\n\r\n")
            try connection.send(Array(content[offset..<end]))
            state.withLock { $0.served += end - offset }
            if end < content.count { return }
        }
    }
}
