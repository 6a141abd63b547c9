import ErrandCryptography
import ErrandText
import ErrandWebhookSigning

/// The reason why a callback is not authentic, with hints for debugging, but without secrets and content.
struct CallbackDiagnosis: CustomStringConvertible {
    let description: String

    init(_ error: WebhookVerificationError, fields: CallbackFields, body: [UInt8]) {
        var lines = ["not valid: \(error)"]
        switch error {
        case .mismatch, .noKnownSignature:
            lines += CallbackFields.Name.allCases.map { "  \($0.rawValue): \(fields[$0])" }
            lines.append("  body: \(body.count) bytes, SHA-256 \(Hexadecimal.encode(SHA256.hash(body)))")
            if body.last == UInt8(ascii: "\n") {
                lines.append("  the body ends with a line break, possibly added by an editor or by echo")
            }
        case .malformedTimestamp, .tooOld, .tooNew:
            lines.append("  webhook-timestamp: \(fields[.timestamp])")
        case .missing:
            break
        }
        description = lines.joined(separator: "\n")
    }
}
