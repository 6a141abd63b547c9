import ErrandCryptography
import ErrandText
import ErrandWebhookSigning
import ErrandYAML

/// The reason why a callback is not authentic, with hints for debugging, but without secrets and content.
struct CallbackDiagnosis: CustomStringConvertible {
    let description: String

    init(_ error: WebhookVerificationError, fields: CallbackFields, body: [UInt8]) {
        var lines = ["not valid: \(error)"]
        switch error {
        case .mismatch, .noKnownSignature:
            lines += CallbackFields.Name.allCases.map { "  \($0.rawValue): \(Self.shown(fields[$0]))" }
            lines.append("  body: \(body.count) bytes, SHA-256 \(Hexadecimal.encode(SHA256.hash(body)))")
            if body.last == UInt8(ascii: "\n") {
                lines.append("  the body ends with a line break, possibly added by an editor or by echo")
            }
        case .malformedTimestamp, .tooOld, .tooNew:
            lines.append("  webhook-timestamp: \(Self.shown(fields[.timestamp]))")
        case .missing:
            break
        }
        description = lines.joined(separator: "\n")
    }

    /// Returns a value of a message that may be forged: with escapes for control characters, which could manipulate a
    /// terminal.
    private static func shown(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { (0x21...0x7E).contains($0) || $0 == 0x20 }
        return isPlain ? value : YAMLText.quoted(value, limit: nil)
    }
}
