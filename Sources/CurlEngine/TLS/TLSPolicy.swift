import CertificateTrust
import Transfer

/// How a session judges those it speaks TLS with, and what it shows them.
///
/// On the loop's thread. What this takes is made once, when it is first needed: reading the system's roots takes
/// milliseconds. What cannot be made refuses.
final class TLSPolicy {
    private let options: TLSOptions
    private lazy var peers = Self.evaluator(of: options.trust)
    /// A proxy is judged by the same anchors, its dates and its own name.
    private lazy var proxies = Self.evaluator(of: TrustPolicy(anchors: options.trust.anchors))
    private lazy var keyPair = Self.keyPair(of: options.clientCertificate)

    init(_ options: TLSOptions) {
        self.options = options
    }

    /// Whether the policy has parts of its own, which may be unusable.
    var hasParts: Bool {
        if case .certificates = options.trust.anchors { return true }
        return !options.trust.pins.isEmpty
    }

    /// What the peer that a URL names is judged by, and what it is shown.
    func parts(for url: HTTPURL) throws(TransferError) -> (evaluator: TrustEvaluator, keyPair: ClientKeyPair?) {
        let isShown = options.clientCertificate?.isShown(to: url.origin) == true
        return (try peers.get(), isShown ? try keyPair.get() : nil)
    }

    /// What a proxy is judged by: pins are not its, and the certificate of the session is not for it.
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
