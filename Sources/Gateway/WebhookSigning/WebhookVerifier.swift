import ErrandCryptography
import ErrandText

/// A verifier of webhooks according to Standard Webhooks.
package struct WebhookVerifier: Sendable {
    private let secrets: [WebhookSecret]
    private let toleranceSeconds: Int64?

    /// The default tolerance between the time of an attempt and the receiver's time, both ways: 5 minutes.
    package static let toleranceSeconds: Int64 = 300

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - secrets: The accepted keys; one of them must have signed the message.
    ///   - toleranceSeconds: The tolerance of the time of an attempt, both ways; `nil` accepts any time.
    package init(_ secrets: [WebhookSecret], toleranceSeconds: Int64? = Self.toleranceSeconds) {
        self.secrets = secrets
        self.toleranceSeconds = toleranceSeconds
    }

    /// Verifies that the message was signed by one of the secrets, and recently.
    ///
    /// Signatures are compared in constant time.
    ///
    /// - Parameters:
    ///   - id: The value of `webhook-id`.
    ///   - timestamp: The value of `webhook-timestamp`.
    ///   - signatures: The value of `webhook-signature`: signatures separated by spaces, one of which must match.
    ///   - body: The content, byte for byte as received.
    ///   - now: The time, in seconds since 1970.
    /// - Throws: The reason to reject the message.
    package func verify(
        id: String, timestamp: String, signatures: String, body: [UInt8], at now: Int64
    ) throws(WebhookVerificationError) {
        guard !id.isEmpty else { throw .missing("webhook-id") }
        guard !timestamp.isEmpty else { throw .missing("webhook-timestamp") }
        guard !signatures.isEmpty else { throw .missing("webhook-signature") }
        guard let seconds = Int64(decimalDigits: timestamp) else { throw .malformedTimestamp }
        try checkAge(of: seconds, at: now)
        // Verifies the received text, as a time with leading zeros is a different text.
        let content = Array("\(id).\(timestamp).".utf8) + body
        let known = signatures.split(separator: " ").compactMap(Signature.init)
        guard !known.isEmpty else { throw .noKnownSignature }
        guard known.contains(where: { signature in secrets.contains { signature.isValid(content, by: $0) } }) else {
            throw .mismatch
        }
    }

    private func checkAge(of seconds: Int64, at now: Int64) throws(WebhookVerificationError) {
        guard let toleranceSeconds else { return }
        let (age, overflows) = now.subtractingReportingOverflow(seconds)
        guard !overflows else { throw .malformedTimestamp }
        if age > toleranceSeconds { throw .tooOld(bySeconds: age - toleranceSeconds) }
        if age < -toleranceSeconds { throw .tooNew(bySeconds: -toleranceSeconds - age) }
    }

    /// A signature of a known version.
    private enum Signature {
        case symmetric([UInt8])
        case ed25519([UInt8])

        /// Parses a version, a comma and Base64; `nil` for an unknown version or malformed Base64.
        init?(_ text: Substring) {
            let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let bytes = Base64.decode(String(parts[1])) else { return nil }
            switch parts[0] {
            case "v1": self = .symmetric(bytes)
            case "v1a": self = .ed25519(bytes)
            default: return nil
            }
        }

        func isValid(_ content: [UInt8], by secret: WebhookSecret) -> Bool {
            switch (self, secret.key) {
            case (.symmetric(let code), .symmetric(let key)):
                constantTimeEquals(code, HMACSHA256.authenticate(content, key: key))
            case (.ed25519(let signature), .ed25519(_, let publicKey)),
                (.ed25519(let signature), .ed25519Public(let publicKey)):
                Ed25519.isValid(signature, of: content, publicKey: publicKey)
            case (.symmetric, _), (.ed25519, _):
                false
            }
        }
    }
}
