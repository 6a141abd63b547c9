import CurlEngine
import Foundation
import Support
import Testing
import Transfer

@Suite("CurlEngine: TLS", .timeLimit(.minutes(5)), .enabled(if: OpenSSLServer.isInstalled))
struct TLSTests {
    @Test("a certificate that nobody vouches for is refused before anything is sent")
    func untrusted() async throws {
        let server = try await OpenSSLServer()
        defer { server.stop() }
        try await withSession { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .untrustedRoot)
            #expect(!error.mayHaveArrived)
        }
    }

    @Test("a certificate of an own authority is accepted, and the handshake measured")
    func trusted() async throws {
        let server = try await OpenSSLServer()
        defer { server.stop() }
        try await withSession(ConnectionOptions(tls: TLSOptions(caFile: server.certificate))) { session in
            let (outcome, text) = await session.perform(try server.request())
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 200)
            #expect(text.contains("Ciphers supported"))
            let connect = try #require(outcome.metrics.connect)
            let handshake = try #require(outcome.metrics.tlsHandshake)
            #expect(connect < handshake && handshake < outcome.metrics.total)
        }
    }

    @Test("a certificate for another name is refused")
    func otherName() async throws {
        let server = try await OpenSSLServer()
        defer { server.stop() }
        let fixed = FixedAddress(host: "other.test", port: server.port, addresses: ["127.0.0.1"])
        let options = ConnectionOptions(fixedAddresses: [fixed], tls: TLSOptions(caFile: server.certificate))
        try await withSession(options) { session in
            let request = TransferRequest(url: try HTTPURL("https://other.test:\(server.port)/"))
            #expect(await session.perform(request).outcome.error?.code == .untrustedRoot)
        }
    }

    @Test("a version that is too old is refused")
    func oldVersion() async throws {
        let server = try await OpenSSLServer(arguments: ["-tls1_2"])
        defer { server.stop() }
        let tls = TLSOptions(minimumVersion: .tls13, caFile: server.certificate)
        try await withSession(ConnectionOptions(tls: tls)) { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .secureConnectionFailed)
        }
    }

    @Test("a file of authorities that is not there is an error, not trust")
    func noAuthorities() async throws {
        let server = try await OpenSSLServer()
        defer { server.stop() }
        try await withSession(ConnectionOptions(tls: TLSOptions(caFile: "/nowhere/ca.pem"))) { session in
            let error = try #require(await session.perform(try server.request()).outcome.error)
            #expect(error.code == .secureConnectionFailed)
        }
    }

    @Test("a peer that speaks no TLS is an error")
    func noTLS() async throws {
        try await withServer({ connection in
            try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForClose()
        }) { server, session in
            let request = TransferRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            #expect(await session.perform(request).outcome.error?.code == .secureConnectionFailed)
        }
    }
}

/// `openssl s_server -www` with a certificate of its own for 127.0.0.1, on a port that the system chooses.
private final class OpenSSLServer {
    private static let program = "/usr/bin/openssl"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    let port: UInt16
    /// The file with its certificate, which is its own authority.
    let certificate: String
    private let folder: URL
    private let process = Process()

    init(arguments: [String] = []) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appendingPathComponent("certificate.pem").path
        let key = folder.appendingPathComponent("key.pem").path
        let maker = Process()
        maker.executableURL = URL(fileURLWithPath: Self.program)
        maker.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
            certificate, "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
        ]
        maker.standardError = FileHandle.nullDevice
        try maker.run()
        maker.waitUntilExit()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments =
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It prints "ACCEPT 127.0.0.1:40123" when it listens.
        var line = ""
        while !line.hasPrefix("ACCEPT") || !line.hasSuffix("\n") {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { break }
            line += String(decoding: bytes, as: UTF8.self)
            if let start = line.range(of: "ACCEPT") { line = String(line[start.lowerBound...]) }
        }
        let digits = line.dropLast().split(separator: ":").last ?? ""
        port = try #require(UInt16(digits), "openssl said: \(line)")
    }

    func request() throws -> TransferRequest {
        TransferRequest(url: try HTTPURL("https://127.0.0.1:\(port)/"))
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        // A folder in the way of nobody if it stays.
        _ = try? FileManager.default.removeItem(at: folder)
    }
}
