import BinaryText
import Digest

/// Signs webhooks as Standard Webhooks has it.
package struct WebhookSigner: Sendable {
    private let secrets: [WebhookSecret]

    /// Creates a signer.
    ///
    /// - Parameter secrets: Each makes a signature, so that receivers may have any of them while they are exchanged.
    ///   Public keys make none.
    package init(_ secrets: [WebhookSecret]) {
        self.secrets = secrets
    }

    /// The value of `webhook-signature`: a signature of each secret, separated by spaces; empty without any.
    ///
    /// - Throws: ``WebhookSecretError/unusable`` when OpenSSL cannot sign with one of them.
    package func sign(_ message: WebhookMessage) throws(WebhookSecretError) -> String {
        let content = message.signedContent
        var signatures: [String] = []
        for secret in secrets {
            switch secret.key {
            case .symmetric(let key):
                signatures.append("v1,\(Base64.encode(HMACSHA256.authenticate(content, key: key)))")
            case .ed25519(let seed, _):
                guard let signature = Ed25519.sign(content, seed: seed) else { throw .unusable }
                signatures.append("v1a,\(Base64.encode(signature))")
            case .ed25519Public:
                continue
            }
        }
        return signatures.joined(separator: " ")
    }
}
