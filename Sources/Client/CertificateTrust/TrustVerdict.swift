package import ErrandTransfer

/// The verdict of a policy on a peer's certificates.
package struct TrustVerdict: Sendable, Hashable {
    /// The error with which the peer is refused; `nil` if it is accepted.
    package var refusal: TransferError?
    /// The evaluated path, the peer's own certificate first.
    ///
    /// For a refused peer these are the certificates it presented, unless only the pins refused it: certificates that
    /// are merely appended to the path never match a pin.
    package var certificates: [CertificateSummary]
    /// The label of the pin that matched.
    package var matchedPin: String?
    /// The accepted path in DER for ``TrustEvaluator/evaluateStaple(_:path:at:)``; empty if the peer was refused.
    ///
    /// If the evaluated path ends before the issuer of the peer's certificate and the peer presented the issuer, this
    /// path continues to it.
    package var path: [[UInt8]]

    /// A Boolean value that indicates whether the peer is accepted.
    package var isAccepted: Bool { refusal == nil }

    /// Creates a verdict from its parts.
    package init(
        refusal: TransferError? = nil, certificates: [CertificateSummary], matchedPin: String? = nil,
        path: [[UInt8]] = []
    ) {
        self.refusal = refusal
        self.certificates = certificates
        self.matchedPin = matchedPin
        self.path = path
    }
}
