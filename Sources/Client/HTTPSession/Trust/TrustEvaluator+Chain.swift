public import ErrandCertificateTrust
public import ErrandSessionCore
import ErrandTime
public import ErrandTransfer

extension TrustEvaluator {
    /// Creates an evaluator: reads the pins and anchors of the policy, once for all chains.
    ///
    /// ```swift
    /// let evaluator = try TrustEvaluator(policy: configuration.connection.tls.trust)
    /// let verdict = evaluator.evaluate(chain: [leaf, intermediate], host: "api.example.com")
    /// if let error = verdict.error { print(error) }
    /// ```
    ///
    /// - Parameter policy: The policy. A policy that identifies no peer is no error here: it refuses every chain.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` if a pin or an anchor cannot be read, or a pin is of
    ///   another kind than the policy pins.
    public convenience init(policy: TrustPolicy) throws(SessionError) {
        do throws(CertificateError) {
            try self.init(policy)
        } catch {
            throw SessionError(.secureConnectionFailed, error.message, isRetryable: false)
        }
    }

    /// Evaluates a chain as a session does for the chain of a server.
    ///
    /// Uses no network. Any thread; takes about 0.4 ms of processor time.
    ///
    /// - Parameters:
    ///   - chain: The certificates in DER, the server's own first (RFC 8446 §4.4.2), in any order after it.
    ///   - host: The host as in the URL: a name in ASCII, a dotted IPv4 address, or an IPv6 address in brackets.
    ///   - staple: The OCSP response that came with the chain, in DER; needed only if the policy requires it
    ///     (``TrustPolicy/RevocationCheck/stapled``). Default: `nil`, none.
    ///   - time: The time of the evaluation, in seconds since 1970. Default: `nil`, now.
    /// - Returns: The verdict. A chain that cannot be read is refused.
    public func evaluate(
        chain: [[UInt8]], host: String, staple: [UInt8]? = nil, at time: Int64? = nil
    ) -> TrustVerdict {
        let time = time ?? SystemClock.secondsSince1970()
        let verdict = evaluate(presented: chain, host: host, at: time)
        guard verdict.isAccepted, policy.revocation == .stapled,
            let refusal = evaluateStaple(staple, path: verdict.path, at: time)
        else { return verdict }
        return TrustVerdict(refusal: refusal, certificates: verdict.certificates)
    }
}

extension TrustVerdict {
    /// The error with which requests to the peer would fail; `nil` if it is accepted.
    public var error: SessionError? { refusal.map { SessionError($0) } }
}
