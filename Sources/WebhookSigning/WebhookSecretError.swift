/// Why a text is no secret for webhooks; its description repeats nothing of the text.
package enum WebhookSecretError: Error, Sendable, Hashable {
    /// It begins with none of the known prefixes.
    case unknownPrefix
    /// What follows the prefix is not Base64.
    case notBase64
    /// It has another number of bytes than it should.
    case wrongSize(found: Int, expected: String)
    /// The second half of a private key of 64 bytes is not the public key of the first.
    case keysDoNotMatch
    /// The cryptographic library has no use for it.
    case unusable
}

extension WebhookSecretError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownPrefix: "expected whsec_, whsk_ or whpk_, then Base64"
        case .notBase64: "what follows the prefix is not Base64 (RFC 4648 §4)"
        case .wrongSize(let found, let expected): "expected \(expected) bytes in Base64, found \(found)"
        case .keysDoNotMatch: "the second half of the private key is not the public key of the first"
        case .unusable: "the key cannot be used: OpenSSL has no Ed25519, or refuses the key"
        }
    }
}
