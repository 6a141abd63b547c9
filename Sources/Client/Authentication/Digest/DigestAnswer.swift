import ErrandTransfer
import HTTPTypes

/// The answer to a Digest challenge, with the nonce of that challenge (RFC 7616 §3.4).
final class DigestAnswer: ChallengeAnswer {
    private let session: DigestSession

    /// Creates the answer.
    ///
    /// - Parameter session: The session of the nonce, which has counted this answer last.
    init(_ session: DigestSession) {
        self.session = session
    }

    func authorize(_ request: inout TransferRequest) {
        request.headers[.authorization] = session.authorization(
            method: request.method.rawValue, target: request.url.target)
    }
}
