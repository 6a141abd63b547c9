import ErrandCryptography
import ErrandText

/// A signer of webhooks according to Standard Webhooks.
package struct WebhookSigner: Sendable {
    private let secrets: [WebhookSecret]

    /// Creates a signer.
    ///
    /// - Parameter secrets: Each secret adds a signature, so that receivers can have any of them during a key rotation.
    ///   Public keys add none.
    package init(_ secrets: [WebhookSecret]) {
        self.secrets = secrets
    }

    /// Returns the value of `webhook-signature`: one signature per secret, separated by spaces; empty without secrets.
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
