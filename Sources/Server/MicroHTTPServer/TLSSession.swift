import CErrandGnuTLS
import CErrandMicroHTTPD

/// The TLS session of a connection, which libmicrohttpd owns.
///
/// Used on the server's thread only, until the connection ends.
struct TLSSession {
    private let handle: gnutls_session_t

    /// Creates the session of a connection; returns `nil` for a connection without TLS.
    init?(of connection: OpaquePointer) {
        guard let session = cmicrohttpd_tls_session(connection) else { return nil }
        handle = gnutls_session_t(session)
    }

    /// Uses a certificate and authorities, which must live as long as the session.
    ///
    /// Before the handshake, this determines the certificate that the server shows and whether it requests one from the
    /// client. After it, it determines the authorities of ``verifyClient()``.
    func use(_ credentials: TLSCredentials) {
        // The session copies nothing but the pointer.
        _ = gnutls_credentials_set(handle, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials.handle))
        gnutls_certificate_server_set_request(
            handle, credentials.verifiesClients ? GNUTLS_CERT_REQUEST : GNUTLS_CERT_IGNORE)
    }

    /// True if the handshake is complete.
    var isEstablished: Bool {
        // GnuTLS has no description before the end of the handshake.
        guard let description = gnutls_session_get_desc(handle) else { return false }
        cgnutls_free(description)
        return true
    }

    /// True if decrypted bytes are available that libmicrohttpd has not read.
    var hasUnread: Bool { gnutls_record_check_pending(handle) > 0 }

    /// Encrypts and sends bytes, as many as fit into the socket's buffer.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { gnutls_record_send(handle, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends the close_notify alert (RFC 8446 §6.1), so that the stream does not look truncated.
    func sendCloseNotify() {
        // The alert is not retried, because the connection closes anyway.
        _ = gnutls_bye(handle, GNUTLS_SHUT_WR)
    }

    /// Verifies that the client's certificate is issued under the authorities of the listener.
    ///
    /// libmicrohttpd requests a certificate but does not verify it. Call this after the handshake.
    func verifyClient() -> ClientVerification {
        // The certificate is checked against the clock, the authorities, and its purpose.
        var status: UInt32 = 0
        let code = withPurpose { purpose in gnutls_certificate_verify_peers(handle, purpose, 1, &status) }
        guard code != GNUTLS_E_NO_CERTIFICATE_FOUND else { return .refused(.missing) }
        guard code == GNUTLS_E_SUCCESS else { return .refused(.unusable) }
        guard status == 0 else { return .refused(.init(status: status)) }
        guard let subject = subjectOfClient() else { return .refused(.unusable) }
        return .verified(subject: subject)
    }

    /// Calls `body` with the requirement that the certificate is meant for TLS clients.
    private func withPurpose(_ body: (UnsafeMutablePointer<gnutls_typed_vdata_st>) -> Int32) -> Int32 {
        var purpose = Array(GNUTLS_KP_TLS_WWW_CLIENT.utf8) + [0]
        return purpose.withUnsafeMutableBufferPointer { text in
            var data = gnutls_typed_vdata_st(type: GNUTLS_DT_KEY_PURPOSE_OID, data: text.baseAddress, size: 0)
            return body(&data)
        }
    }

    private func subjectOfClient() -> String? {
        var count: UInt32 = 0
        var certificate: gnutls_x509_crt_t?
        guard gnutls_certificate_type_get2(handle, GNUTLS_CTYPE_CLIENT) == GNUTLS_CRT_X509,
            let chain = gnutls_certificate_get_peers(handle, &count), count > 0,
            gnutls_x509_crt_init(&certificate) == GNUTLS_E_SUCCESS
        else { return nil }
        defer { gnutls_x509_crt_deinit(certificate) }
        var subject = gnutls_datum_t()
        guard gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) == GNUTLS_E_SUCCESS,
            gnutls_x509_crt_get_dn3(certificate, &subject, 0) == GNUTLS_E_SUCCESS
        else { return nil }
        defer { cgnutls_free(subject.data) }
        return ClientVerification.subject(UnsafeBufferPointer(start: subject.data, count: Int(subject.size)))
    }
}
