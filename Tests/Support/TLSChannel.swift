import CErrandGnuTLS
import Glibc

/// A TLS client over a connected socket.
package final class TLSChannel: RawChannel, @unchecked Sendable {
    // `@unchecked Sendable`: the client calls it from one queue, and `finishSending` between such calls.
    private let session: gnutls_session_t
    private let credentials: gnutls_certificate_credentials_t

    /// Performs a handshake without verifying the server's certificate.
    ///
    /// - Parameters:
    ///   - descriptor: A connected socket.
    ///   - certificate: The client certificate, which is sent on request, whether or not the server knows the issuer.
    ///   - priorities: A priority string of GnuTLS.
    ///   - drips: True to send byte by byte.
    package init(
        _ descriptor: Int32, certificate: TestCertificate? = nil, priorities: String = "NORMAL", drips: Bool = false
    ) throws {
        var newCredentials: gnutls_certificate_credentials_t?
        try check(gnutls_certificate_allocate_credentials(&newCredentials))
        var newSession: gnutls_session_t?
        try check(gnutls_init(&newSession, UInt32(GNUTLS_CLIENT | GNUTLS_NO_SIGNAL | GNUTLS_FORCE_CLIENT_CERT)))
        guard let credentials = newCredentials, let session = newSession else {
            throw TestCertificate.Failure(code: 0)
        }
        self.credentials = credentials
        self.session = session
        if let certificate {
            try Self.withDatum(try certificate.pem()) { chain in
                try Self.withDatum(try certificate.keyPEM()) { key in
                    try check(
                        gnutls_certificate_set_x509_key_mem2(credentials, chain, key, GNUTLS_X509_FMT_PEM, nil, 0))
                }
            }
        }
        try check(gnutls_priority_set_direct(session, priorities, nil))
        try check(gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials)))
        gnutls_transport_set_int2(session, descriptor, descriptor)
        if drips {
            var option: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &option, socklen_t(MemoryLayout<Int32>.size))
            gnutls_transport_set_push_function(session, sendOneByte)
        }
        gnutls_handshake_set_timeout(session, UInt32(RawHTTPClient.timeoutSeconds) * 1000)
        var code: Int32
        repeat { code = gnutls_handshake(session) } while code < 0 && gnutls_error_is_fatal(code) == 0
        try check(code)
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
    }

    /// The certificate of the server in DER.
    package var serverCertificate: [UInt8] {
        var count: UInt32 = 0
        guard let chain = gnutls_certificate_get_peers(session, &count), count > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: chain.pointee.data, count: Int(chain.pointee.size)))
    }

    package func send(_ bytes: ArraySlice<UInt8>) throws(RawHTTPClient.Failure) -> Int {
        let count = bytes.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw Self.failure("send", count) }
        return count
    }

    package func receive(_ count: Int) throws(RawHTTPClient.Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = gnutls_record_recv(session, &buffer, count)
        guard received >= 0 else { throw Self.failure("receive", received) }
        return Array(buffer.prefix(received))
    }

    package func finishSending() {
        _ = gnutls_bye(session, GNUTLS_SHUT_WR)
    }

    private static func failure(_ operation: String, _ code: Int) -> RawHTTPClient.Failure {
        let number =
            switch Int32(code) {
            case GNUTLS_E_AGAIN, GNUTLS_E_INTERRUPTED, GNUTLS_E_TIMEDOUT: EAGAIN
            // The connection ended without a close_notify, as after a reset.
            case GNUTLS_E_PREMATURE_TERMINATION, GNUTLS_E_PULL_ERROR, GNUTLS_E_PUSH_ERROR: ECONNRESET
            default: EPROTO
            }
        return RawHTTPClient.Failure(operation: operation, errorNumber: number)
    }

    private static func withDatum(_ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) throws -> Void) throws {
        var bytes = bytes
        try bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
            try body(&datum)
        }
    }
}

extension RawHTTPClient {
    /// Connects to a port of 127.0.0.1 and performs a handshake, on a separate thread.
    package static func tls(
        port: UInt16, certificate: TestCertificate? = nil, priorities: String = "NORMAL", drips: Bool = false,
        receiveBufferBytes: Int32? = nil
    ) async throws -> RawHTTPClient {
        let made = Signal<Result<RawHTTPClient, any Error>>()
        BlockingThread.run {
            made.send(
                Result {
                    let descriptor = try connectedSocket(port: port, receiveBufferBytes: receiveBufferBytes)
                    do {
                        let channel = try TLSChannel(
                            descriptor, certificate: certificate, priorities: priorities, drips: drips)
                        return RawHTTPClient(descriptor: descriptor, channel: channel)
                    } catch {
                        Glibc.close(descriptor)
                        throw error
                    }
                })
        }
        return try await made.wait().get()
    }

    /// The certificate of the server in DER; empty without TLS.
    package var serverCertificate: [UInt8] { (channel as? TLSChannel)?.serverCertificate ?? [] }

    private static func connectedSocket(port: UInt16, receiveBufferBytes: Int32?) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBufferBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        limitWaiting(of: descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let code = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let reason = errno
            Glibc.close(descriptor)
            throw TestCertificate.Failure(code: reason)
        }
        return descriptor
    }
}

/// The push function of GnuTLS that sends byte by byte.
private nonisolated func sendOneByte(
    _ descriptor: gnutls_transport_ptr_t?, _ bytes: UnsafeRawPointer?, _ count: Int
) -> Int {
    send(Int32(Int(bitPattern: descriptor)), bytes, min(1, count), Int32(MSG_NOSIGNAL))
}
