import CertificateTrust
import Transfer

/// One TLS connection from our side: who has to be at the other end, how its certificate is judged, and what came of it.
///
/// On the loop's thread. It belongs to OpenSSL's context of the connection, and lives as long as the connection; every
/// transfer that uses the connection looks at it.
final class PeerHandshake {
    /// What the peer says about our certificate when it does not like it (RFC 8446 §6.2).
    private enum Alert {
        static let handshakeFailure: UInt8 = 40
        static let accessDenied: UInt8 = 49
        static let certificateRequired: UInt8 = 116
        /// `bad_certificate`, `unsupported_certificate`, `certificate_revoked`, `certificate_expired`,
        /// `certificate_unknown`, `unknown_ca` and `decrypt_error`.
        static let badCertificate: Set<UInt8> = [42, 43, 44, 45, 46, 48, 51]
    }

    /// The host as in a URL.
    let host: String
    /// Whether the other end is a proxy, and not the peer.
    let isProxy: Bool
    /// What is shown when the peer asks for a certificate.
    let keyPair: ClientKeyPair?

    private let evaluator: TrustEvaluator
    private var verdict: TrustVerdict?
    private var needsStaple: Bool
    private(set) var refusal: TransferError?
    /// The peer has answered a request: it was content with our side of the handshake.
    var wasAnswered = false
    /// The peer has asked for a certificate.
    private var wasAskedForCertificate = false
    /// What the peer said at last before it ended the connection (RFC 8446 §6).
    private var alert: UInt8?
    /// Why OpenSSL has given up, in its words.
    private var reason: String?
    private var agreed: (version: String, cipher: String)?

    init(host: String, isProxy: Bool, evaluator: TrustEvaluator, keyPair: ClientKeyPair?) {
        self.host = host
        self.isProxy = isProxy
        self.evaluator = evaluator
        self.keyPair = keyPair
        needsStaple = evaluator.policy.revocation == .stapled
    }

    // MARK: The handshake

    /// Whether a stapled OCSP response is asked for.
    var asksForStaple: Bool { evaluator.policy.revocation == .stapled }

    /// Judges the certificates that the peer has presented, its own first: before anything is sent to it.
    ///
    /// - Returns: Whether the handshake goes on.
    func judge(_ presented: [[UInt8]], at now: Int64) -> Bool {
        let verdict = evaluator.evaluate(presented: presented, host: host, at: now)
        self.verdict = verdict
        refusal = verdict.refusal
        // Another handshake over the same connection (RFC 5246 §7.4.1.1) is judged from the beginning.
        needsStaple = asksForStaple
        return refusal == nil
    }

    /// Judges the stapled OCSP response, or that there is none: before anything is sent to the peer.
    ///
    /// - Returns: Whether the handshake goes on.
    func judgeStaple(_ response: [UInt8]?, at now: Int64) -> Bool {
        guard let verdict, refusal == nil else { return false }
        refusal = evaluator.evaluateStaple(response, path: verdict.path, at: now)
        needsStaple = refusal != nil
        return refusal == nil
    }

    /// The peer asks for a certificate.
    func didAskForCertificate() {
        wasAskedForCertificate = true
    }

    /// The certificate cannot be shown.
    func cannotShowCertificate() {
        refusal = TransferError(.clientCertificateRejected, "The client certificate cannot be used")
    }

    /// The peer has sent an alert; the last one it sends says why it ends the connection.
    func didReceive(alert: UInt8) {
        self.alert = alert
    }

    /// OpenSSL has given up.
    func didFail(_ reason: String) {
        self.reason = reason
    }

    // MARK: Its use

    /// Whether the peer was judged, and by all that the policy asks for accepted, as this host.
    func isAccepted(as host: String) -> Bool {
        guard let verdict else { return false }
        return verdict.isAccepted && refusal == nil && !needsStaple && !isProxy
            && Self.withoutFinalDot(self.host) == Self.withoutFinalDot(host)
    }

    /// A name with its final dot (RFC 1034 §3.1) and one without are the same to a certificate, which never has it.
    private static func withoutFinalDot(_ host: String) -> Substring {
        host.hasSuffix(".") ? host.dropLast() : host[...]
    }

    /// Remembers what both sides have agreed on.
    func didAgree(version: String, cipher: String) {
        agreed = (version, cipher)
    }

    /// Whether the handshake is known to be over.
    var hasAgreed: Bool { agreed != nil }

    /// What is told about the connection; `nil` of one with a proxy that is not at fault.
    var metrics: TLSMetrics? {
        guard !isProxy || refusal != nil else { return nil }
        return TLSMetrics(
            version: agreed?.version, cipher: agreed?.cipher, certificates: verdict?.certificates ?? [],
            matchedPin: refusal == nil ? verdict?.matchedPin : nil)
    }

    // MARK: Its failure

    /// Why there is no TLS, or no more, in the order of who knows best: our refusal, the peer's of our certificate, and
    /// what else the library has to say; `nil` when TLS is not at fault.
    ///
    /// - Parameter isHandshake: Whether the transfer ended because TLS could not be established.
    func failure(duringHandshake isHandshake: Bool) -> TransferError? {
        if let refusal { return refusal }
        if let error = clientCertificateFailure { return error }
        guard isHandshake else { return nil }
        if let alert {
            return TransferError(.secureConnectionFailed, "The peer has ended TLS: \(Self.words(forAlert: alert))")
        }
        return TransferError(
            .secureConnectionFailed, "TLS could not be established" + (reason.map { ": \($0)" } ?? ""))
    }

    /// What the peer has against our certificate, or our lack of one.
    ///
    /// With TLS 1.3 it says so after our side of the handshake is complete, and the request may be on its way
    /// (RFC 8446 §4.4.2.4). That it comes to looking at the request is out of the question.
    private var clientCertificateFailure: TransferError? {
        guard let alert, wasAskedForCertificate, !isProxy else { return nil }
        let isAboutCertificate =
            Alert.badCertificate.contains(alert)
            || [Alert.certificateRequired, Alert.handshakeFailure, Alert.accessDenied].contains(alert)
        guard isAboutCertificate else { return nil }
        if keyPair == nil {
            return TransferError(.clientCertificateRequired, "The peer wants a client certificate")
        }
        return TransferError(
            .clientCertificateRejected,
            "The peer does not accept the client certificate: \(Self.words(forAlert: alert))")
    }
}
