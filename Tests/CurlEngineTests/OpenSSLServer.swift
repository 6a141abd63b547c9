import Glibc
import Transfer

/// `openssl s_server -www` with a certificate of its own for 127.0.0.1, on a port that the system chooses.
struct OpenSSLServer {
    /// Why there is none.
    struct Failure: Error {
        var reason: String
    }

    /// A certificate for 127.0.0.1 that vouches for itself, and its key: files.
    struct Certificate {
        var file: String
        var key: String
    }

    private static let program = "/usr/bin/openssl"

    /// Whether the program is there.
    static let isInstalled = access(program, X_OK) == 0

    let port: UInt16
    /// The file with its certificate, which is its own authority.
    let certificate: String
    private let folder: ScratchFolder
    private let process: WatchedProcess

    /// Makes a certificate and starts a server.
    static func start(arguments: [String] = []) async throws -> OpenSSLServer {
        let folder = try ScratchFolder()
        let certificate = try await makeCertificate(in: folder)
        let arguments =
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate.file, "-key", certificate.key]
            + arguments
        let (process, line) = try await WatchedProcess.start(program, arguments, until: "ACCEPT ")
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            process.stop()
            throw Failure(reason: "no port in: \(line)")
        }
        return OpenSSLServer(port: port, certificate: certificate.file, folder: folder, process: process)
    }

    /// Makes a certificate.
    static func makeCertificate(in folder: ScratchFolder) async throws -> Certificate {
        let certificate = Certificate(file: folder.file("certificate.pem"), key: folder.file("key.pem"))
        let status = try await WatchedProcess.run(
            program,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                certificate.key, "-out", certificate.file, "-days", "2", "-subj", "/CN=test", "-addext",
                "subjectAltName=IP:127.0.0.1",
            ])
        guard status == 0 else { throw Failure(reason: "no certificate was made") }
        return certificate
    }

    func request() throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("https://127.0.0.1:\(port)/"))
    }

    func stop() {
        process.stop()
        folder.remove()
    }
}
