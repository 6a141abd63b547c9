import CErrandOpenSSL

/// Owns an OpenSSL list of certificates for the duration of a call.
final class CertificateList {
    let pointer: OpaquePointer
    private let certificates: [Certificate]

    /// Creates a list of certificates in the given order and retains them; returns `nil` if there is no memory.
    init?(_ certificates: [Certificate]) {
        guard let list = copenssl_certificates_new() else { return nil }
        pointer = list
        self.certificates = certificates
        for certificate in certificates {
            guard copenssl_certificates_push(list, certificate.pointer) > 0 else { return nil }
        }
    }

    deinit {
        copenssl_certificates_free(pointer)
    }

    /// Returns the certificates of a list that OpenSSL owns, each with its own reference.
    static func shared(_ list: OpaquePointer?) -> [Certificate] {
        (0..<copenssl_certificates_count(list)).compactMap { index in
            copenssl_certificates_at(list, index).map { Certificate(sharing: $0) }
        }
    }
}
