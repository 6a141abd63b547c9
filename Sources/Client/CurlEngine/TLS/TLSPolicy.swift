import ErrandCertificateTrust
import ErrandTransfer

/// The TLS settings of a session: verification of peers, and the client certificate to present.
///
/// Used on the loop's thread only. Its parts are created once, on first use, because reading the system's roots takes
/// milliseconds. If a part cannot be created, requests are refused.
final class TLSPolicy {
    private let options: TLSOptions
    private lazy var peers = Self.evaluator(of: options.trust)
    /// A proxy is verified by the same trust anchors, its validity dates and its own name.
    private lazy var proxies = Self.evaluator(of: TrustPolicy(anchors: options.trust.anchors))
    private lazy var keyPair = Self.keyPair(of: options.clientCertificate)

    init(_ options: TLSOptions) {
        self.options = options
    }

    /// A Boolean value that indicates whether the policy has parts of its own, which may be unusable.
    var hasParts: Bool {
        if case .certificates = options.trust.anchors { return true }
        return !options.trust.pins.isEmpty
    }

    /// Returns the evaluator for the peer of a URL and the client certificate to present to it.
    func parts(for url: HTTPURL) throws(TransferError) -> (evaluator: TrustEvaluator, keyPair: ClientKeyPair?) {
        let isShown = options.clientCertificate?.isShown(to: url.origin) == true
        return (try peers.get(), isShown ? try keyPair.get() : nil)
    }

    /// Returns the evaluator for a proxy; neither pins nor the session's client certificate apply to it.
    func partsForProxy() throws(TransferError) -> TrustEvaluator {
        try proxies.get()
    }

    private static func evaluator(of policy: TrustPolicy) -> Result<TrustEvaluator, TransferError> {
        do throws(CertificateError) {
            return .success(try TrustEvaluator(policy))
        } catch {
            return .failure(
                TransferError(.secureConnectionFailed, "The security policy cannot be evaluated: \(error)"))
        }
    }

    private static func keyPair(of certificate: ClientCertificate?) -> Result<ClientKeyPair?, TransferError> {
        guard let certificate else { return .success(nil) }
        guard let pair = ClientKeyPair(certificate) else {
            return .failure(TransferError(.clientCertificateRejected, "The client certificate cannot be used"))
        }
        return .success(pair)
    }
}
