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
        var stalls: Bool
        var served = 0
        var ranges = 0
    }

    /// Creates an upstream.
    ///
    /// - Parameters:
    ///   - size: The size of the file, in bytes.
    ///   - cuts: The number of responses that end early, after at most a quarter of the bytes that are asked for: more
    ///     requests must follow.
    ///   - stalls: True if responses with the rest of the file, or a part of it, send their head and nothing more, until
    ///     ``goOn()`` is called.
    init(_ size: Int, cuts: Int = 0, stalls: Bool = false) {
        content = .noise(size, seed: 7)
        state = Mutex(State(cuts: cuts, stalls: stalls))
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

    /// Sends further responses completely.
    func goOn() {
        state.withLock { $0.stalls = false }
    }

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
            let asked = request.byteRange(of: content.count)
            let (offset, upTo) = (asked?.lowerBound ?? 0, asked?.upperBound ?? content.count)
            let end = state.withLock { state -> Int in
                if offset > 0 { state.ranges += 1 }
                guard state.cuts > 0 else { return upTo }
                state.cuts -= 1
                return min(upTo, offset + 1 + Int.random(in: 0..<max(1, (upTo - offset) / 4), using: &state.random))
            }
            let status = asked != nil ? "206 Partial Content" : "200 OK"
            let range =
                asked != nil ? "Content-Range: bytes \(offset)-\(upTo - 1)/\(content.count)\r\n" : ""
            try connection.send(
                "HTTP/1.1 \(status)\r\nETag: \"v1\"\r\nContent-Type: application/octet-stream\r\n\(range)"
                    + "Content-Disposition: attachment; filename*=UTF-8''r%C3%A9port.bin\r\n"
                    + "Content-Length: \(upTo - offset)\r\n\r\n")
            if offset > 0, state.withLock({ $0.stalls }) {
                // Until the client closes the connection.
                _ = try connection.readRequest()
                return
            }
            try connection.send(Array(content[offset..<end]))
            state.withLock { $0.served += end - offset }
            if end < upTo { return }
        }
    }
}
