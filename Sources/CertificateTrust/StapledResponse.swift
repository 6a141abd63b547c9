import COpenSSL
import Glibc

/// The OCSP response that a peer staples to the handshake (RFC 6960).
enum StapledResponse {
    /// How far clocks may be apart, in seconds.
    static let clockSkewSeconds: Int64 = 5 * 60

    /// Requires that a response shows the first certificate of a path to be good.
    ///
    /// - Throws: An error that says what the response says, or what is wrong with it.
    static func requireGood(_ response: [UInt8]?, path: [[UInt8]], at now: Int64) throws(CertificateError) {
        guard let response else {
            throw CertificateError(.missing, "No OCSP response is stapled to the handshake, and the session needs one")
        }
        guard path.count > 1 else {
            throw CertificateError(.missing, "The certificate's issuer is not known, who would vouch for its status")
        }
        let leaf = try Certificate(der: path[0])
        let issuer = try Certificate(der: path[1])
        let fault = ErrorQueue.preserving { objection(to: response, leaf: leaf, issuer: issuer, at: now) }
        if let fault { throw CertificateError(.malformed, fault) }
    }

    /// What keeps a response from showing that a certificate is good; `nil` when nothing does.
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
            return "The stapled OCSP response is none: \(text)"
        }
        guard let basic = OCSP_response_get1_basic(read) else { return "The stapled OCSP response cannot be read" }
        defer { OCSP_BASICRESP_free(basic) }
        guard isSigned(basic, by: issuer, at: now) else {
            return "The stapled OCSP response is not signed by the certificate's issuer or its responder"
        }
        return objection(to: basic, leaf: leaf, issuer: issuer, at: now)
    }

    /// Whether the issuer, or a responder that it has delegated to (RFC 6960 §4.2.2.2), has signed.
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

    /// All that a signed response says about the certificate has to be good and of now.
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

    /// Whether a part of a response is about a certificate, whatever digest it is identified by.
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
        // Without an end anybody could staple it for ever, whatever has happened since.
        guard let next = secondsSince1970(next) else {
            return "The stapled OCSP response does not say how long it holds"
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
