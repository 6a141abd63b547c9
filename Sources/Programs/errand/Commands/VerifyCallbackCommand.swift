import ArgumentParser
import ErrandFiles
import ErrandTime
import ErrandWebhookSigning
import Foundation

/// `errand verify-callback`: verifies a received callback, to debug receivers.
struct VerifyCallbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-callback", abstract: "Verify that a received callback is authentic.",
        discussion: """
            The body is that of the request, byte for byte as it came. Its header fields webhook-id, webhook-timestamp and \
            webhook-signature come from options or from a file with one "Name: value" a line. Secrets on the command line \
            are seen by other users of the machine: ERRAND_CALLBACK_SECRET holds one or more, separated by spaces.

            Exit status: 0 when it is genuine, 1 when it is not, 64 and 66 when that could not be found out.
            """)

    @Option(
        name: .customLong("secret"),
        help: ArgumentHelp("A secret (whsec_…, whsk_…) or public key (whpk_…); may be repeated.", valueName: "secret"))
    var secrets: [String] = []

    @Option(help: ArgumentHelp("The file with the header fields of the request.", valueName: "file"))
    var headers: String?

    @Option(help: "The value of webhook-id.")
    var id: String?

    @Option(help: "The value of webhook-timestamp.")
    var timestamp: String?

    @Option(help: "The value of webhook-signature.")
    var signature: String?

    @Option(help: ArgumentHelp("The time of verification, in seconds since 1970.", valueName: "seconds"))
    var now: Int64?

    @Flag(help: "Accept messages of any age.")
    var ignoreAge = false

    @Argument(help: ArgumentHelp("The file with the body; - for standard input.", valueName: "body-file"))
    var body: String = "-"

    /// The environment variable that contains the secrets.
    static let environmentVariable = "ERRAND_CALLBACK_SECRET"
    /// The most bytes of a body or of header fields.
    private static let maxBytes = 1 << 30

    func validate() throws {
        if headers != nil, id != nil || timestamp != nil || signature != nil {
            throw ValidationError("Pass the header fields either by --headers or by --id, --timestamp and --signature.")
        }
    }

    func run() throws {
        let secrets = try readSecrets()
        let fields = try readFields()
        let content = try read(body == "-" ? nil : body)
        let verifier = WebhookVerifier(secrets, toleranceSeconds: ignoreAge ? nil : WebhookVerifier.toleranceSeconds)
        do throws(WebhookVerificationError) {
            try verifier.verify(
                id: fields[.id], timestamp: fields[.timestamp], signatures: fields[.signature], body: content,
                at: now ?? SystemClock.secondsSince1970())
        } catch {
            StandardStreams.writeError(CallbackDiagnosis(error, fields: fields, body: content).description)
            throw ExitCode(1)
        }
        try StandardStreams.write("valid")
    }

    private func readSecrets() throws -> [WebhookSecret] {
        let environment = ProcessInfo.processInfo.environment[Self.environmentVariable] ?? ""
        let texts = secrets + environment.split(separator: " ").map(String.init)
        guard !texts.isEmpty else {
            throw ValidationError("Pass a secret by --secret or in \(Self.environmentVariable).")
        }
        var read: [WebhookSecret] = []
        for (index, text) in texts.enumerated() {
            do throws(WebhookSecretError) {
                read.append(try WebhookSecret(text))
            } catch {
                let source = index < secrets.count ? "--secret" : Self.environmentVariable
                throw ValidationError("The secret of \(source) is malformed: \(error).")
            }
        }
        return read
    }

    private func readFields() throws -> CallbackFields {
        if let headers { return CallbackFields(headerText: String(decoding: try read(headers), as: UTF8.self)) }
        return CallbackFields([.id: id, .timestamp: timestamp, .signature: signature].compactMapValues(\.self))
    }

    /// Returns all bytes of a file, or of standard input without a name.
    private func read(_ path: String?) throws -> [UInt8] {
        do {
            guard let path else { return try FileContents.readStandardInput(maxBytes: Self.maxBytes) }
            return try FileContents.read(path, maxBytes: Self.maxBytes)
        } catch {
            StandardStreams.writeError("\(path ?? "standard input"): cannot read: \(error)")
            // EX_NOINPUT of sysexits.h.
            throw ExitCode(66)
        }
    }
}
