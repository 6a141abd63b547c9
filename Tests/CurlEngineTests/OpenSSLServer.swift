import Foundation
import Locking
import Support
import Transfer

/// `openssl s_server -www` with a certificate of its own for 127.0.0.1, on a port that the system chooses.
struct OpenSSLServer {
    /// Why there is none.
    struct Failure: Error {
        var reason: String
    }

    private static let program = "/usr/bin/openssl"

    /// Whether the program is there.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    let port: UInt16
    /// The file with its certificate, which is its own authority.
    let certificate: String
    private let folder: URL
    private let process: Process

    /// Makes a certificate and starts a server.
    static func start(arguments: [String] = []) async throws -> OpenSSLServer {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = folder.appendingPathComponent("certificate.pem").path
        let key = folder.appendingPathComponent("key.pem").path
        let made = Signal<Int32>()
        let maker = process([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
            certificate, "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
        ])
        maker.terminationHandler = { made.send($0.terminationStatus) }
        try maker.run()
        guard await made.wait() == 0 else { throw Failure(reason: "no certificate was made") }

        let server = process(
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key] + arguments)
        let output = Pipe()
        server.standardOutput = output
        let listening = Signal<UInt16?>()
        let text = Mutex("")
        // It writes "ACCEPT 127.0.0.1:40123" and a line end when it listens.
        output.fileHandleForReading.readabilityHandler = { handle in
            let bytes = handle.availableData
            let lines = text.withLock { text in
                text += String(decoding: bytes, as: UTF8.self)
                return text
            }
            if let line = lines.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT") }), lines.hasSuffix("\n") {
                listening.send(line.split(separator: ":").last.flatMap { UInt16($0) })
            } else if bytes.isEmpty {
                listening.send(nil)
            }
            if bytes.isEmpty { handle.readabilityHandler = nil }
        }
        try server.run()
        guard let port = await listening.wait() else {
            server.terminate()
            throw Failure(reason: "the server does not listen: \(text.withLock { $0 })")
        }
        return OpenSSLServer(port: port, certificate: certificate, folder: folder, process: server)
    }

    private static func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    func request() throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("https://127.0.0.1:\(port)/"))
    }

    func stop() {
        process.terminate()
        // In nobody's way if it stays.
        _ = try? FileManager.default.removeItem(at: folder)
    }
}
