import COpenSSL
import Glibc
import Transfer

extension PeerHandshake {
    /// Where an OpenSSL context keeps the handshake that it belongs to; negative when OpenSSL has no memory.
    private static let place = copenssl_new_context_place(tlsContextIsFreed)

    /// The handshake that a connection belongs to, if it is one of ours.
    static func of(connection: OpaquePointer) -> PeerHandshake? {
        guard let context = SSL_get_SSL_CTX(connection) else { return nil }
        return SSL_CTX_get_ex_data(context, place).map { Unmanaged<PeerHandshake>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Has OpenSSL ask us, and only us, what to think of the peer.
    ///
    /// The context owns the handshake from then on, because connections and their context outlive the transfer that has
    /// made them.
    ///
    /// - Returns: `false` when there is no memory; nothing must be sent then.
    func install(in context: OpaquePointer) -> Bool {
        let owned = Unmanaged.passRetained(self)
        guard Self.place >= 0, SSL_CTX_set_ex_data(context, Self.place, owned.toOpaque()) == 1 else {
            owned.release()
            return false
        }
        let argument = owned.toOpaque()
        SSL_CTX_set_cert_verify_callback(context, tlsVerify, argument)
        SSL_CTX_set_cert_cb(context, tlsCertificateIsWanted, argument)
        SSL_CTX_set_info_callback(context, tlsStateChanged)
        return !asksForStaple || copenssl_ask_for_staple(context, tlsJudgeStaple, argument) == 1
    }

    /// Judges what the peer has presented, and leaves with OpenSSL the word that the peer is told.
    func judge(_ verification: OpaquePointer) -> Bool {
        let count = copenssl_presented_count(verification)
        var presented: [[UInt8]] = []
        for index in 0..<max(0, count) {
            guard let certificate = copenssl_presented(verification, index), let der = Self.encoded(certificate) else {
                X509_STORE_CTX_set_error(verification, X509_V_ERR_OUT_OF_MEM)
                return false
            }
            presented.append(der)
        }
        let isAccepted = judge(presented, at: Int64(time(nil)))
        X509_STORE_CTX_set_error(verification, isAccepted ? X509_V_OK : verificationError)
        return isAccepted
    }

    /// Judges the OCSP response that the peer has stapled to its certificate.
    func judgeStaple(over connection: OpaquePointer) -> Bool {
        var bytes: UnsafePointer<UInt8>?
        let count = copenssl_staple(connection, &bytes)
        let response = bytes.map { Array(UnsafeBufferPointer(start: $0, count: max(0, count))) }
        return judgeStaple(response.flatMap { $0.isEmpty ? nil : $0 }, at: Int64(time(nil)))
    }

    /// Shows our certificate, where this peer is to see it.
    ///
    /// - Returns: `false` when it cannot be; the handshake ends then.
    func showCertificate(over connection: OpaquePointer) -> Bool {
        didAskForCertificate()
        guard let keyPair else { return true }
        guard keyPair.show(over: connection) else {
            cannotShowCertificate()
            return false
        }
        return true
    }

    /// Looks at what both sides have agreed on, once it is settled.
    func didSettle(over connection: OpaquePointer) {
        guard !hasAgreed, let cipher = SSL_get_current_cipher(connection) else { return }
        let version = String(cString: SSL_get_version(connection))
        didAgree(
            // "TLSv1.3"
            version: version.hasPrefix("TLSv") ? String(version.dropFirst(4)) : version,
            cipher: String(cString: SSL_CIPHER_standard_name(cipher)))
    }

    /// An alert in words.
    static func words(forAlert alert: UInt8) -> String {
        String(cString: SSL_alert_desc_string_long(Int32(alert)))
    }

    /// What makes OpenSSL send the alert that fits the refusal best.
    private var verificationError: Int32 {
        switch refusal?.code {
        case .certificateExpired: X509_V_ERR_CERT_HAS_EXPIRED
        case .certificateNotYetValid: X509_V_ERR_CERT_NOT_YET_VALID
        case .hostMismatch: X509_V_ERR_HOSTNAME_MISMATCH
        case .untrustedRoot: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
        case .revoked: X509_V_ERR_CERT_REVOKED
        default: X509_V_ERR_CERT_REJECTED
        }
    }

    private static func encoded(_ certificate: OpaquePointer) -> [UInt8]? {
        let length = i2d_X509(certificate, nil)
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var position = buffer.baseAddress
            count = Int(max(0, i2d_X509(certificate, &position)))
        }
    }
}
