import ErrandCryptography
import ErrandLocking
import ErrandSupport
import ErrandText

/// An upstream that records the digests of the contents that it receives.
final class ContentUpstream: Sendable {
    private let state: Mutex<State>

    private struct State {
        var failures: Int
        var digests: [String] = []
        var announced: [String?] = []
    }

    /// Creates an upstream.
    ///
    /// - Parameter failures: The number of requests that it answers with 503, from the first one.
    init(failures: Int = 0) {
        state = Mutex(State(failures: failures))
    }

    /// The SHA-256 of each content, in hexadecimal digits.
    var digests: [String] { state.withLock { $0.digests } }

    /// The field `Content-Digest` of each request.
    var announced: [String?] { state.withLock { $0.announced } }

    /// Answers the requests of a connection.
    @Sendable func answer(_ connection: ScriptedConnection) throws {
        while true {
            let request = try connection.readRequest()
            let digest = Hexadecimal.encode(SHA256.hash(request.body))
            let fails = state.withLock { state in
                state.digests.append(digest)
                state.announced.append(request["Content-Digest"])
                defer { state.failures -= 1 }
                return state.failures > 0
            }
            try connection.respond(
                fails ? "503 Service Unavailable" : "200 OK", ["Content-Type: application/json"],
                body: #"{"sha256":"\#(digest)"}"#)
        }
    }

    /// Returns content for tests: the same for the same size.
    static func content(_ size: Int) -> [UInt8] {
        .noise(size, seed: 5)
    }
}
