public import ErrandTransfer

/// The verdict of a policy on a peer's certificates.
public struct TrustVerdict: Sendable, Hashable {
    /// The error with which the peer is refused; `nil` if it is accepted.
    public var refusal: TransferError?
    /// The evaluated path, the peer's own certificate first.
    ///
    /// For a refused peer these are the certificates it presented, unless only the pins refused it: certificates that
    /// are merely appended to the path never match a pin.
    public var certificates: [CertificateSummary]
    /// The label of the pin that matched.
    public var matchedPin: String?
    /// The accepted path in DER for checks of stapled OCSP responses; empty if the peer was refused.
    ///
    /// If the evaluated path ends before the issuer of the peer's certificate, because that certificate is pinned, this
    /// path continues to the issuer, provided that it is on the path to an anchor or that the peer presented it.
    public var path: [[UInt8]]

    /// A Boolean value that indicates whether the peer is accepted.
    public var isAccepted: Bool { refusal == nil }

    /// Creates a verdict from its parts.
    public init(
        refusal: TransferError? = nil, certificates: [CertificateSummary], matchedPin: String? = nil,
        path: [[UInt8]] = []
    ) {
        self.refusal = refusal
        self.certificates = certificates
        self.matchedPin = matchedPin
        self.path = path
    }
}
