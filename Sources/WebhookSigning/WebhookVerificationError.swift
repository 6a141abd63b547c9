/// Why a webhook is not to be believed.
package enum WebhookVerificationError: Error, Sendable, Hashable {
    /// A header field is missing or empty.
    case missing(String)
    /// `webhook-timestamp` is no whole number of seconds since 1970.
    case malformedTimestamp
    /// The attempt was made longer ago than is tolerated.
    case tooOld(bySeconds: Int64)
    /// The attempt was made later than is tolerated: the clocks differ.
    case tooNew(bySeconds: Int64)
    /// No signature is of a version that is known (`v1`, `v1a`) and in Base64.
    case noKnownSignature
    /// None of the signatures is that of the message by one of the secrets.
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
            "webhook-signature has no signature of the versions v1 and v1a: \"v1,\" or \"v1a,\" and Base64"
        case .mismatch:
            "no signature is that of this message by the secret: the secret is another, or the body was changed"
        }
    }
}
