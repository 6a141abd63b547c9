/// Why something could not be sealed or opened.
///
/// The description is safe to show: it holds identifiers of keys, and neither keys nor data.
package struct SealingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure, stable for programs.
    package var code: Code
    /// What happened, for people: one sentence without a full stop.
    package var message: String
    /// The key that is missing or does not fit, when the sealed bytes name one.
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
        /// The key has another length than ``SealingKey/byteCount``.
        case badKey = "bad_key"
        /// There is no key to seal with.
        case noKey = "no_key"
        /// The key that the bytes were sealed with is not in the ring.
        case unknownKey = "unknown_key"
        /// The bytes are not what was sealed with this key in this context.
        case tampered
        /// The bytes do not begin like sealed ones.
        case notSealed = "not_sealed"
        /// A newer version of the program has sealed the bytes.
        case tooNew = "too_new"
        /// There are more bytes than one message of AES-GCM may have here: 2 GiB.
        case tooLarge = "too_large"
        /// The system gave no random bytes.
        case noRandomness = "no_randomness"
        /// OpenSSL cannot compute AES-256: memory is out, or its configuration forbids the cipher.
        case unavailable
    }
}

extension SealingError {
    /// OpenSSL failed where no input makes it fail.
    static let unavailable = SealingError(.unavailable, "OpenSSL cannot compute AES-256-GCM")
}
