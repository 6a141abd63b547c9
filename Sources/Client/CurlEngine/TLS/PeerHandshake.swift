import ErrandCertificateTrust
import ErrandTransfer

/// One TLS connection as the client sees it: the expected peer, the rules for its certificate, and the result.
///
/// Used on the loop's thread only. The connection's OpenSSL context owns it, so it lives as long as the connection;
/// every transfer that uses the connection consults it.
final class PeerHandshake {
    /// The alerts with which a peer rejects the client certificate (RFC 8446 §6.2).
    private enum Alert {
        static let handshakeFailure: UInt8 = 40
        static let accessDenied: UInt8 = 49
        static let certificateRequired: UInt8 = 116
        /// `bad_certificate`, `unsupported_certificate`, `certificate_revoked`, `certificate_expired`,
        /// `certificate_unknown`, `unknown_ca` and `decrypt_error`.
        static let badCertificate: Set<UInt8> = [42, 43, 44, 45, 46, 48, 51]
    }

    /// The host in the form used in URLs.
    let host: String
    /// A Boolean value that indicates whether the other end is a proxy instead of the peer.
    let isProxy: Bool
    /// The client certificate that is presented if the peer asks for one.
    let keyPair: ClientKeyPair?

    private let evaluator: TrustEvaluator
    private var verdict: TrustVerdict?
    private var needsStaple: Bool
    private(set) var refusal: TransferError?
    /// A Boolean value that indicates whether the peer has responded to a request, and so has accepted the client's
    /// handshake.
    var wasAnswered = false
    /// The state of the connection if it uses HTTP/2.
    var http2: HTTP2Connection?
    /// A Boolean value that indicates whether the peer has asked for a certificate.
    private var wasAskedForCertificate = false
    /// The last alert that the peer sent before it closed the connection (RFC 8446 §6).
    private var alert: UInt8?
    /// The reason for which OpenSSL gave up, in its own words.
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

    /// A Boolean value that indicates whether a stapled OCSP response is requested.
    var asksForStaple: Bool { evaluator.policy.revocation == .stapled }

    /// Verifies the certificates that the peer presented, its own first, before anything is sent to it.
    ///
    /// - Returns: True if the handshake continues.
    func judge(_ presented: [[UInt8]], at now: Int64) -> Bool {
        let verdict = evaluator.evaluate(presented: presented, host: host, at: now)
        self.verdict = verdict
        refusal = verdict.refusal
        // A renegotiation over the same connection (RFC 5246 §7.4.1.1) is verified from the start.
        needsStaple = asksForStaple
        return refusal == nil
    }

    /// Checks the stapled OCSP response or its absence, before anything is sent to the peer.
    ///
    /// - Returns: True if the handshake continues.
    func judgeStaple(_ response: [UInt8]?, at now: Int64) -> Bool {
        guard let verdict, refusal == nil else { return false }
        refusal = evaluator.evaluateStaple(response, path: verdict.path, at: now)
        needsStaple = refusal != nil
        return refusal == nil
    }

    /// Records that the peer has asked for a certificate.
    func didAskForCertificate() {
        wasAskedForCertificate = true
    }

    /// Refuses the connection because the client certificate cannot be presented.
    func cannotShowCertificate() {
        refusal = TransferError(.clientCertificateRejected, "The client certificate cannot be used")
    }

    /// Records an alert of the peer; the last one tells why it closes the connection.
    func didReceive(alert: UInt8) {
        self.alert = alert
    }

    /// Records the reason for which OpenSSL gave up.
    func didFail(_ reason: String) {
        self.reason = reason
    }

    // MARK: Acceptance

    /// Returns whether the peer was verified and accepted, by everything that the policy demands, for this host.
    func isAccepted(as host: String) -> Bool {
        guard let verdict else { return false }
        return verdict.isAccepted && refusal == nil && !needsStaple && !isProxy
            && Self.withoutFinalDot(self.host) == Self.withoutFinalDot(host)
    }

    /// Returns a host name without its final dot (RFC 1034 §3.1), which certificates never contain.
    private static func withoutFinalDot(_ host: String) -> Substring {
        host.hasSuffix(".") ? host.dropLast() : host[...]
    }

    /// Records the negotiated version and cipher.
    func didAgree(version: String, cipher: String) {
        agreed = (version, cipher)
    }

    /// A Boolean value that indicates whether the handshake is known to be complete.
    var hasAgreed: Bool { agreed != nil }

    /// The metrics of the connection; `nil` for a connection to a proxy that is not at fault.
    var metrics: TLSMetrics? {
        guard !isProxy || refusal != nil else { return nil }
        return TLSMetrics(
            version: agreed?.version, cipher: agreed?.cipher, certificates: verdict?.certificates ?? [],
            matchedPin: refusal == nil ? verdict?.matchedPin : nil)
    }

    // MARK: Failure

    /// Returns the error for a missing or broken TLS connection; `nil` if TLS is not at fault.
    ///
    /// The most informed cause wins: a refusal by the client, then the peer's rejection of the client certificate, then
    /// the reason given by OpenSSL.
    ///
    /// - Parameter isHandshake: True if the transfer ended because TLS could not be established.
    func failure(duringHandshake isHandshake: Bool) -> TransferError? {
        if let refusal { return refusal }
        if let error = clientCertificateFailure { return error }
        guard isHandshake else { return nil }
        if let alert {
            return TransferError(.secureConnectionFailed, "The peer closed TLS: \(Self.words(forAlert: alert))")
        }
        return TransferError(
            .secureConnectionFailed, "TLS could not be established" + (reason.map { ": \($0)" } ?? ""))
    }

    /// Returns the error for a client certificate that the peer rejects or misses.
    ///
    /// With TLS 1.3 the peer reports this after the client's side of the handshake is complete, when the request may
    /// already be on its way (RFC 8446 §4.4.2.4). The peer never processes that request.
    private var clientCertificateFailure: TransferError? {
        guard let alert, wasAskedForCertificate, !isProxy else { return nil }
        let isAboutCertificate =
            Alert.badCertificate.contains(alert)
            || [Alert.certificateRequired, Alert.handshakeFailure, Alert.accessDenied].contains(alert)
        guard isAboutCertificate else { return nil }
        if keyPair == nil {
            return TransferError(.clientCertificateRequired, "The peer requires a client certificate")
        }
        return TransferError(
            .clientCertificateRejected,
            "The peer does not accept the client certificate: \(Self.words(forAlert: alert))")
    }
}
