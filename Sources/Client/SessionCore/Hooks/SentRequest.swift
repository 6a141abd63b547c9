import ErrandAuthentication
import ErrandTransfer

/// The last request of an attempt, without cookies and credentials, for the retriers of its hooks.
///
/// A reference, so that an outcome without it is hardly larger.
final class SentRequest: Sendable {
    let request: TransferRequest

    init(_ request: TransferRequest) {
        self.request = request
    }
}

extension SentRequest: RedactedReflection {
    var description: String { "\(request.method)" }
}
