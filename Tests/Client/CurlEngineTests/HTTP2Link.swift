import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Testing

/// The ways in which a session reaches a scripted HTTP/2 server.
enum HTTP2Link: String, CaseIterable, CustomTestStringConvertible {
    /// TCP without TLS, with prior knowledge of the version.
    case tcp
    /// A Unix socket without TLS, with prior knowledge of the version.
    case unixSocket
    /// TLS, whose ALPN selects `h2`.
    case tls

    /// Those that are possible on this machine.
    static let available = allCases.filter { $0 != .tls || SecureRelay.isInstalled }
    /// Those over TCP.
    static let overTCP = available.filter { $0 != .unixSocket }

    var testDescription: String { rawValue }
}

/// A scripted HTTP/2 server, with what a session needs to reach it.
final class HTTP2Server {
    /// The server, which sees bytes without TLS.
    let scripted: ScriptedServer
    /// The URL of its root.
    let url: HTTPURL
    /// The options of a session for it.
    let options: ConnectionOptions
    /// The TCP port that clients connect to.
    var port: UInt16 { relay?.port ?? scripted.port }
    private let relay: SecureRelay?
    private let folder: TemporaryFolder?

    /// Starts a server with a script.
    init(over link: HTTP2Link, _ script: @escaping ScriptedServer.Script) async throws {
        var options = ConnectionOptions(version: .http2)
        switch link {
        case .tcp:
            scripted = try ScriptedServer(script)
            url = try HTTPURL(scripted.origin + "/")
            (relay, folder) = (nil, nil)
        case .unixSocket:
            let folder = try TemporaryFolder()
            scripted = try ScriptedServer(unixSocket: folder["a.sock"], script)
            url = try HTTPURL("http://upstream.test/")
            options.unixSocket = folder["a.sock"]
            (relay, self.folder) = (nil, folder)
        case .tls:
            scripted = try ScriptedServer(script)
            let relay = try await SecureRelay.start(to: scripted.port, certificate: "good", protocols: ["h2"])
            url = try HTTPURL("https://127.0.0.1:\(relay.port)/")
            // Without prior knowledge, as in most sessions.
            options.version = .automatic
            options.tls = try await TestCertificates.shared.tls()
            (self.relay, folder) = (relay, nil)
        }
        self.options = options
    }

    /// A request for its root, with timeouts that do not end a test, and for content without a coding.
    var request: TransferRequest { TransferRequest(url: url, timeouts: .patient, acceptsCompression: false) }

    func stop() {
        relay?.stop()
        scripted.stop()
        folder?.remove()
    }
}

/// Runs `body` with a scripted HTTP/2 server and a session for requests to it.
func withHTTP2Server<Result>(
    over link: HTTP2Link, _ script: @escaping ScriptedServer.Script,
    _ body: (HTTP2Server, CurlSession) async throws -> Result
) async throws -> Result {
    let server = try await HTTP2Server(over: link, script)
    defer { server.stop() }
    return try await withSession(server.options) { try await body(server, $0) }
}
