import ErrandSupport
import ErrandTransfer
import Glibc
import HTTPTypes

/// `openssl s_server` with one of the ``TestCertificates``, on a free port of 127.0.0.1.
struct OpenSSLServer {
    /// The error of a server that did not start.
    struct Failure: Error {
        var reason: String
    }

    private static let program = "/usr/bin/openssl"

    /// A Boolean value that indicates whether the program is installed.
    static let isInstalled = access(program, X_OK) == 0

    let port: UInt16
    /// The certificates with the server's.
    let certificates: TestCertificates
    private let process: ChildProcess

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - certificate: The name of its certificate.
    ///   - answers: True if it responds to each request with a page about the connection. Otherwise it prints the
    ///     decrypted input, and serves one connection at a time.
    ///   - arguments: Additional options of the program.
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

    /// Returns a request for a path of this server.
    func request(
        _ method: HTTPRequest.Method = .get, host: String = "127.0.0.1", _ path: String = "/"
    ) throws -> TransferRequest {
        TransferRequest(method: method, url: try HTTPURL("https://\(host):\(port)\(path)"), timeouts: .patient)
    }

    /// Returns fixed addresses that lead from the names to this server.
    func addresses(of hosts: String...) -> [FixedAddress] {
        hosts.map { FixedAddress(host: $0, port: port, addresses: ["127.0.0.1"]) }
    }

    /// Waits for a line in the server's output and returns it.
    func line(containing text: String) async throws -> String {
        try await process.output.line(containing: text)
    }

    /// Ends the server.
    ///
    /// - Returns: Its complete output.
    func output() async -> String {
        stop()
        return await process.result().output
    }

    func stop() {
        process.kill(SIGKILL)
    }
}
