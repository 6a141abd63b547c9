import ErrandCryptography
import ErrandText

/// A key to sign or verify webhooks, in the format of Standard Webhooks: a prefix and Base64.
///
/// | prefix | key | signs | verifies |
/// | --- | --- | --- | --- |
/// | `whsec_` | a symmetric secret of 24 to 64 bytes, for HMAC-SHA256 (`v1`) | yes | yes |
/// | `whsk_` | an Ed25519 private key (RFC 8032): its seed of 32 bytes, or seed and public key (`v1a`) | yes | yes |
/// | `whpk_` | an Ed25519 public key of 32 bytes (`v1a`) | no | yes |
///
/// It is never printed: descriptions and reflection are redacted.
///
/// Source: [Standard Webhooks](https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
package struct WebhookSecret: Sendable, Hashable {
    let key: Key

    enum Key: Sendable, Hashable {
        /// A secret for HMAC-SHA256.
        case symmetric([UInt8])
        /// The seed of an Ed25519 private key, and its public key.
        case ed25519(seed: [UInt8], publicKey: [UInt8])
        /// An Ed25519 public key.
        case ed25519Public([UInt8])
    }

    /// The sizes of a symmetric secret, in bytes.
    package static let symmetricBytes = 24...64

    /// Parses a secret.
    ///
    /// - Parameter text: A prefix and Base64 with padding (RFC 4648 §4), without white space.
    package init(_ text: String) throws(WebhookSecretError) {
        let rest = { (prefix: String) in text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil }
        if let encoded = rest("whsec_") {
            let bytes = try Self.decode(encoded)
            guard Self.symmetricBytes.contains(bytes.count) else {
                throw .wrongSize(found: bytes.count, expected: "24 to 64")
            }
            key = .symmetric(bytes)
        } else if let encoded = rest("whsk_") {
            key = try Self.privateKey(Self.decode(encoded))
        } else if let encoded = rest("whpk_") {
            let bytes = try Self.decode(encoded)
            guard bytes.count == Ed25519.keyBytes else {
                throw .wrongSize(found: bytes.count, expected: "32")
            }
            key = .ed25519Public(bytes)
        } else {
            throw .unknownPrefix
        }
    }

    /// True if it can sign messages; false for a public key.
    package var canSign: Bool {
        switch key {
        case .symmetric, .ed25519: true
        case .ed25519Public: false
        }
    }

    private static func decode(_ text: Substring) throws(WebhookSecretError) -> [UInt8] {
        guard !text.utf8.contains(where: { $0 <= 0x20 }), let bytes = Base64.decode(String(text)) else {
            throw .notBase64
        }
        return bytes
    }

    private static func privateKey(_ bytes: [UInt8]) throws(WebhookSecretError) -> Key {
        guard bytes.count == Ed25519.keyBytes || bytes.count == 2 * Ed25519.keyBytes else {
            throw .wrongSize(found: bytes.count, expected: "32 or 64")
        }
        let seed = Array(bytes.prefix(Ed25519.keyBytes))
        guard let publicKey = Ed25519.publicKey(ofSeed: seed) else { throw .unusable }
        guard bytes.count == Ed25519.keyBytes || Array(bytes.dropFirst(Ed25519.keyBytes)) == publicKey else {
            throw .keysDoNotMatch
        }
        return .ed25519(seed: seed, publicKey: publicKey)
    }
}

/// Redacts the secret in descriptions and reflection.
extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[redacted]" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
