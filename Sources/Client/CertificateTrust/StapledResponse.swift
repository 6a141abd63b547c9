import CErrandOpenSSL
import Glibc

/// Checks the OCSP response that a peer staples to the handshake (RFC 6960).
enum StapledResponse {
    /// The tolerated difference between clocks, in seconds.
    static let clockSkewSeconds: Int64 = 5 * 60

    /// Checks that a response declares the first certificate of a path good.
    ///
    /// - Throws: ``CertificateError`` with the status in the response, or with the fault of the response.
    static func requireGood(_ response: [UInt8]?, path: [[UInt8]], at now: Int64) throws(CertificateError) {
        guard let response else {
            throw CertificateError(.missing, "The session requires a stapled OCSP response; the peer sent none")
        }
        guard path.count > 1 else {
            throw CertificateError(.missing, "The issuer of the certificate, which signs OCSP responses, is unknown")
        }
        let leaf = try Certificate(der: path[0])
        let issuer = try Certificate(der: path[1])
        let fault = ErrorQueue.preserving { objection(to: response, leaf: leaf, issuer: issuer, at: now) }
        if let fault { throw CertificateError(.malformed, fault) }
    }

    /// Returns the reason to reject a response; `nil` if it declares the certificate good.
    private static func objection(
        to response: [UInt8], leaf: Certificate, issuer: Certificate, at now: Int64
    ) -> String? {
        let read = response.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return d2i_OCSP_RESPONSE(nil, &position, bytes.count)
        }
        guard let read else { return "The stapled OCSP response cannot be read" }
        defer { OCSP_RESPONSE_free(read) }
        let status = OCSP_response_status(read)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
            let text = OCSP_response_status_str(Int(status)).map { String(cString: $0) } ?? "\(status)"
            return "The stapled OCSP response is an error: \(text)"
        }
        guard let basic = OCSP_response_get1_basic(read) else { return "The stapled OCSP response cannot be read" }
        defer { OCSP_BASICRESP_free(basic) }
        guard isSigned(basic, by: issuer, at: now) else {
            return "The stapled OCSP response is not signed by the certificate's issuer or its responder"
        }
        return objection(to: basic, leaf: leaf, issuer: issuer, at: now)
    }

    /// Returns whether the issuer, or a responder that it has delegated to (RFC 6960 §4.2.2.2), signed the response.
    private static func isSigned(_ basic: OpaquePointer, by issuer: Certificate, at now: Int64) -> Bool {
        guard let store = X509_STORE_new(), let signers = CertificateList([issuer]) else { return false }
        defer { X509_STORE_free(store) }
        guard X509_STORE_add_cert(store, issuer.pointer) == 1,
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1
        else { return false }
        let parameters = X509_STORE_get0_param(store)
        X509_VERIFY_PARAM_set_auth_level(parameters, AnchorStore.securityLevel)
        X509_VERIFY_PARAM_set_time(parameters, time_t(now))
        return withExtendedLifetime(signers) { OCSP_basic_verify(basic, signers.pointer, store, 0) == 1 }
    }

    /// Checks that every statement of a signed response about the certificate is good and current.
    private static func objection(
        to basic: OpaquePointer, leaf: Certificate, issuer: Certificate, at now: Int64
    ) -> String? {
        var isMentioned = false
        for index in 0..<OCSP_resp_count(basic) {
            guard let single = OCSP_resp_get0(basic, index), isAbout(single, leaf: leaf, issuer: issuer) else {
                continue
            }
            isMentioned = true
            if let fault = objection(to: single, at: now) { return fault }
        }
        return isMentioned ? nil : "The stapled OCSP response is about another certificate"
    }

    /// Returns whether a part of a response is about a certificate, whichever digest identifies it.
    private static func isAbout(_ single: OpaquePointer, leaf: Certificate, issuer: Certificate) -> Bool {
        guard let id = OCSP_SINGLERESP_get0_id(single) else { return false }
        var algorithm: OpaquePointer?
        guard OCSP_id_get0_info(nil, &algorithm, nil, nil, id) == 1,
            let digest = copenssl_digest_of(algorithm),
            let expected = OCSP_cert_to_id(digest, leaf.pointer, issuer.pointer)
        else { return false }
        defer { OCSP_CERTID_free(expected) }
        return OCSP_id_cmp(expected, id) == 0
    }

    private static func objection(to single: OpaquePointer, at now: Int64) -> String? {
        var reason: Int32 = -1
        var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        switch OCSP_single_get0_status(single, &reason, &revoked, &this, &next) {
        case V_OCSP_CERTSTATUS_GOOD:
            break
        case V_OCSP_CERTSTATUS_REVOKED:
            let date = secondsSince1970(revoked).map { " at \(dateText($0))" } ?? ""
            return "The certificate was revoked\(date)"
        default:
            return "The stapled OCSP response does not know the certificate"
        }
        guard let this = secondsSince1970(this) else { return "The stapled OCSP response has no date" }
        // Without an end of validity, a response could be replayed forever, even after a revocation.
        guard let next = secondsSince1970(next) else {
            return "The stapled OCSP response does not say how long it is valid"
        }
        guard this <= now + clockSkewSeconds else {
            return "The stapled OCSP response is not valid before \(dateText(this))"
        }
        guard next >= now - clockSkewSeconds else {
            return "The stapled OCSP response expired at \(dateText(next))"
        }
        return nil
    }
}
