import ErrandAuthentication
import ErrandTransfer

/// The last request of an attempt, without cookies and credentials, for the retriers of its hooks.
///
/// A reference, so that an outcome without it is hardly larger.
final class SentRequest: Sendable {
    let request: TransferRequest
    /// The changes of hooks to the requests of the attempt.
    let hooked: HookedRequests

    init(_ chain: HopChain) {
        request = chain.request
        hooked = chain.hooked
    }
}

extension SentRequest: RedactedReflection {
    var description: String { "\(request.method)" }
}
