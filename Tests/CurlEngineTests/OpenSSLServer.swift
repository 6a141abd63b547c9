import Glibc
import HTTPTypes
import Support
import Transfer

/// `openssl s_server` with one of the ``TestCertificates``, on a port of 127.0.0.1 that the system chooses.
struct OpenSSLServer {
    /// Why there is none.
    struct Failure: Error {
        var reason: String
    }

    private static let program = "/usr/bin/openssl"

    /// Whether the program is there.
    static let isInstalled = access(program, X_OK) == 0

    let port: UInt16
    /// Those that it has its own from.
    let certificates: TestCertificates
    private let process: ChildProcess

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - certificate: The name of its certificate.
    ///   - answers: Whether it answers each request with a page about the connection. Otherwise it prints what comes, as
    ///     it was sent before TLS, and one connection waits for the other.
    ///   - arguments: More options of the program.
    static func start(
        _ certificate: String = "good", answers: Bool = true, arguments: [String] = []
    ) async throws -> OpenSSLServer {
        let certificates = try await TestCertificates.shared
        let process = try ChildProcess(
            program,
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.file(certificate), "-key",
                certificates.key(certificate),
            ] + (answers ? ["-www"] : []) + arguments, input: .untilOwnEnd)
        let line = try await process.output.line(containing: "ACCEPT ")
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Failure(reason: "no port in: \(line)")
        }
        return OpenSSLServer(port: port, certificates: certificates, process: process)
    }

    /// A request for a path of this server.
    func request(
        _ method: HTTPRequest.Method = .get, host: String = "127.0.0.1", _ path: String = "/"
    ) throws -> TransferRequest {
        TransferRequest(method: method, url: try HTTPURL("https://\(host):\(port)\(path)"))
    }

    /// Has names lead to this server.
    func addresses(of hosts: String...) -> [FixedAddress] {
        hosts.map { FixedAddress(host: $0, port: port, addresses: ["127.0.0.1"]) }
    }

    /// Waits for a line of what it prints.
    func line(containing text: String) async throws -> String {
        try await process.output.line(containing: text)
    }

    /// Ends the server.
    ///
    /// - Returns: Everything that it has printed.
    func output() async -> String {
        stop()
        return await process.result().output
    }

    func stop() {
        process.kill(SIGKILL)
    }
}
