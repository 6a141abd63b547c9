package import Transfer

/// What a policy says about the certificates of a peer.
package struct TrustVerdict: Sendable, Hashable {
    /// Why the peer is refused; `nil` when it is accepted.
    package var refusal: TransferError?
    /// The path that was judged, the peer's own certificate first; of a refused peer what it presented, unless only the
    /// pins refuse it: what is merely appended to the path never matches one.
    package var certificates: [CertificateSummary]
    /// The label of the pin that matched.
    package var matchedPin: String?
    /// The accepted path in DER, for ``TrustEvaluator/evaluateStaple(_:path:at:)``; empty when refused.
    ///
    /// It goes on to the issuer of the peer's certificate where the judged path ends before and the peer presented it.
    package var path: [[UInt8]]

    /// Whether the peer is accepted.
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
