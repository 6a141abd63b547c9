import CErrandOpenSSL
import ErrandTransfer

/// A PKCS #12 file (RFC 7292): certificates and a key, encrypted with one password.
struct KeyArchive: ~Copyable {
    private let pointer: OpaquePointer

    /// Parses a file without decrypting it; returns `nil` if it is not PKCS #12.
    init?(_ file: [UInt8]) {
        let read = ErrorQueue.preserving {
            file.withUnsafeBufferPointer { bytes -> OpaquePointer? in
                var position = bytes.baseAddress
                return d2i_PKCS12(nil, &position, bytes.count)
            }
        }
        guard let read else { return nil }
        pointer = read
    }

    deinit {
        PKCS12_free(pointer)
    }

    /// Decrypts the file and returns its certificates and key.
    func open(_ password: borrowing Password) throws(CertificateError) -> ClientCertificate {
        var (key, certificate, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
        let (status, reasons) = password.withCString { text in
            ErrorQueue.collecting { PKCS12_parse(pointer, text, &key, &certificate, &others) }
        }
        defer { copenssl_certificates_release(others) }
        let ownCertificate = certificate.map { Certificate(adopting: $0) }
        guard let key else { throw Self.fault(status: status, hasPassword: password.isGiven, reasons) }
        let privateKey = PrivateKey(adopting: key)
        guard status == 1 else { throw Self.fault(status: status, hasPassword: password.isGiven, reasons) }
        guard let ownCertificate else {
            throw CertificateError(.missing, "The PKCS #12 file contains no certificate for its key")
        }
        var chain = [try ownCertificate.der()]
        for certificate in CertificateList.shared(others) { chain.append(try certificate.der()) }
        return try ClientCertificateFile.client(chain: chain, key: privateKey)
    }

    /// Returns the reason for which the file could not be decrypted.
    private static func fault(status: Int32, hasPassword: Bool, _ reasons: [String]) -> CertificateError {
        if status == 1 { return CertificateError(.missing, "The PKCS #12 file contains no private key") }
        if reasons.contains("mac verify failure") {
            return hasPassword
                ? CertificateError(.password, "The password of the PKCS #12 file is wrong")
                : CertificateError(.password, "The PKCS #12 file is encrypted and no password is given")
        }
        if reasons.contains("unsupported") {
            return CertificateError(
                .unsupported,
                "The PKCS #12 file is encrypted with an old algorithm, such as RC2, which OpenSSL 3 only has in its "
                    + "legacy provider: export it again with AES")
        }
        return CertificateError(.malformed, "The PKCS #12 file cannot be read")
    }
}
