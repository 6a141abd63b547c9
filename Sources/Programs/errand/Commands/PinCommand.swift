import ArgumentParser
import ErrandCertificateTrust
import ErrandCurlEngine
import ErrandFiles
import ErrandTransfer
import Foundation

/// `errand pin`: shows the pins of a server's certificates, in the format of the configuration.
///
/// The handshake is aborted and no request is sent.
struct PinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Show the pins of a server's certificates, ready for a session's `security`.",
        discussion: """
            Connects, looks at the certificates and sends no request. The exit status is 0 when the chain is trusted; \
            when it is not, the pins are shown all the same, with the reason, and the exit status is 1: compare them \
            with what the owner of the server says before you use them.
            """)

    @Argument(help: "The server's URL, such as https://api.example.com.")
    var url: String

    @Option(name: .customLong("ca-file"), help: "Certificates (PEM) to trust instead of the system's.")
    var caFile: String?

    func run() async throws {
        let server: HTTPURL
        do {
            server = try HTTPURL(url)
        } catch {
            throw ValidationError("invalid URL \(url): \(error)")
        }
        guard server.scheme == .https else {
            throw ValidationError("\(url): expected an https URL")
        }
        // No pin matches, so an otherwise trusted peer is refused for that reason.
        let policy = TrustPolicy(pinning: .publicKey, anchors: try anchors())
        let engine = try CurlEngine()
        let session = engine.session(ConnectionOptions(tls: TLSOptions(trust: policy)))
        let timeouts = TransferTimeouts(connect: .seconds(10), total: .seconds(15))
        let outcome = await session.perform(
            TransferRequest(url: server, timeouts: timeouts), receiver: DiscardingReceiver())
        await engine.shutdown()

        guard let certificates = outcome.metrics.tls?.certificates, !certificates.isEmpty else {
            StandardStreams.writeError("\(server.origin): \(outcome.error?.message ?? "no certificate received")")
            throw ExitCode.failure
        }
        try StandardStreams.write(PinReport(certificates).yaml)
        guard outcome.error?.code == .pinMismatch else {
            StandardStreams.writeError("warning: not trusted: \(outcome.error?.message ?? "unknown")")
            throw ExitCode.failure
        }
    }

    private func anchors() throws -> TrustAnchors {
        guard let caFile else { return .system }
        do {
            return .certificates(try CertificateFile.read(FileContents.read(caFile, maxBytes: 64 << 20)))
        } catch {
            throw ValidationError("\(caFile): \(error)")
        }
    }
}
