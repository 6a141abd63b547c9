import COpenSSL

/// OpenSSL's list of certificates, for as long as a call needs it.
final class CertificateList {
    let pointer: OpaquePointer
    private let certificates: [Certificate]

    /// A list of certificates in their order, which it keeps; `nil` when there is no memory.
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

    /// The certificates of a list that OpenSSL owns, each with a reference of its own.
    static func shared(_ list: OpaquePointer?) -> [Certificate] {
        (0..<copenssl_certificates_count(list)).compactMap { index in
            copenssl_certificates_at(list, index).map { Certificate(sharing: $0) }
        }
    }
}
