/// The reason why a text is not a webhook secret; its description repeats no part of the text.
package enum WebhookSecretError: Error, Sendable, Hashable {
    /// The text begins with none of the known prefixes.
    case unknownPrefix
    /// The text after the prefix is not Base64.
    case notBase64
    /// The key has a wrong number of bytes.
    case wrongSize(found: Int, expected: String)
    /// The second half of a 64-byte private key is not the public key of the first half.
    case keysDoNotMatch
    /// The cryptographic library refuses the key.
    case unusable
}

extension WebhookSecretError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownPrefix: "expected whsec_, whsk_ or whpk_, then Base64"
        case .notBase64: "expected Base64 after the prefix (RFC 4648 §4)"
        case .wrongSize(let found, let expected): "expected \(expected) bytes in Base64, found \(found)"
        case .keysDoNotMatch: "the second half of the private key is not the public key of the first half"
        case .unusable: "the key is unusable: OpenSSL has no Ed25519, or refuses the key"
        }
    }
}
