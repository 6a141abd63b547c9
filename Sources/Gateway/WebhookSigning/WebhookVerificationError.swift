/// The reason why a webhook is not authentic.
package enum WebhookVerificationError: Error, Sendable, Hashable {
    /// A header field is missing or empty.
    case missing(String)
    /// `webhook-timestamp` is not a whole number of seconds since 1970.
    case malformedTimestamp
    /// The message is older than the tolerance.
    case tooOld(bySeconds: Int64)
    /// The message is further in the future than the tolerance: the clocks differ.
    case tooNew(bySeconds: Int64)
    /// No signature has a known version (`v1`, `v1a`) and valid Base64.
    case noKnownSignature
    /// No signature matches the message and one of the secrets.
    case mismatch
}

extension WebhookVerificationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let name):
            "the header field \(name) is missing or empty"
        case .malformedTimestamp:
            "webhook-timestamp is not a number of seconds since 1970"
        case .tooOld(let seconds):
            "the message is too old, by \(seconds) s"
        case .tooNew(let seconds):
            "the message is from the future, by \(seconds) s: the clocks differ"
        case .noKnownSignature:
            "expected a signature in webhook-signature: \"v1,\" or \"v1a,\" and Base64"
        case .mismatch:
            "no signature matches: the secret is wrong, or the body was changed"
        }
    }
}
