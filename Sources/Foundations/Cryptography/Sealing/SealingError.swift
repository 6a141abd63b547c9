/// A failure to seal or open data.
///
/// The description is safe to show: it contains identifiers of keys, but neither keys nor data.
package struct SealingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, stable for programs.
    package var code: Code
    /// The explanation for people: one sentence without a full stop.
    package var message: String
    /// The key that is missing or does not match, if the sealed bytes name one.
    package var keyID: SealingKeyID?

    /// Creates an error.
    package init(_ code: Code, _ message: String, keyID: SealingKeyID? = nil) {
        self.code = code
        self.message = message
        self.keyID = keyID
    }

    package var description: String { "\(code.rawValue): \(message)" }

    /// The kinds of failure.
    package enum Code: String, Sendable, CaseIterable {
        /// The length of the key differs from ``SealingKey/byteCount``.
        case badKey = "bad_key"
        /// There is no key to seal with.
        case noKey = "no_key"
        /// The keyring does not contain the key that sealed the bytes.
        case unknownKey = "unknown_key"
        /// The bytes are not authentic for this key and context.
        case tampered
        /// The bytes do not have the signature of sealed ones.
        case notSealed = "not_sealed"
        /// The bytes were sealed by a newer version of the program.
        case tooNew = "too_new"
        /// The data exceeds the limit of one AES-GCM message here: 2 GiB.
        case tooLarge = "too_large"
        /// The system provided no random bytes.
        case noRandomness = "no_randomness"
        /// OpenSSL cannot compute AES-256: memory is exhausted, or its configuration forbids the cipher.
        case unavailable
    }
}

extension SealingError {
    /// The error for a failure of OpenSSL that no input causes.
    static let unavailable = SealingError(.unavailable, "OpenSSL cannot compute AES-256-GCM")
}
