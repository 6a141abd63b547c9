import CErrandOpenSSL

/// A private key parsed by OpenSSL.
struct PrivateKey: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Parses a key: PEM of PKCS #8 (RFC 5958), PKCS #1 or SEC 1, encrypted or not; or DER, unencrypted.
    init(_ file: [UInt8], password: borrowing Password) throws(CertificateError) {
        let isPEM = PEMBlock.isPEM(file)
        var isPasswordAsked = false
        let key = password.withCString { answer in
            ErrorQueue.preserving { () -> OpaquePointer? in
                guard isPEM else { return Self.readDER(file) }
                var question = PasswordQuestion(answer: answer)
                defer { isPasswordAsked = question.isAsked }
                return Self.readPEM(file, &question)
            }
        }
        guard let key else {
            throw Self.fault(isPasswordAsked: isPasswordAsked, hasPassword: password.isGiven)
        }
        pointer = key
    }

    /// Returns the unencrypted key in PKCS #8 DER: a secret.
    func pkcs8() throws(CertificateError) -> [UInt8] {
        guard let wrapped = ErrorQueue.preserving({ EVP_PKEY2PKCS8(pointer) }) else {
            throw CertificateError(.unsupported, "The key cannot be encoded in PKCS #8")
        }
        defer { PKCS8_PRIV_KEY_INFO_free(wrapped) }
        return try derBytes { i2d_PKCS8_PRIV_KEY_INFO(wrapped, $0) }
    }

    /// Returns whether a certificate belongs to this key.
    func fits(_ certificate: Certificate) -> Bool {
        ErrorQueue.preserving { X509_check_private_key(certificate.pointer, pointer) == 1 }
    }

    private static func readPEM(_ file: [UInt8], _ question: inout PasswordQuestion) -> OpaquePointer? {
        file.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(source) }
            return withUnsafeMutablePointer(to: &question) {
                PEM_read_bio_PrivateKey(source, nil, answerPassword, $0)
            }
        }
    }

    private static func readDER(_ file: [UInt8]) -> OpaquePointer? {
        file.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &position, bytes.count)
        }
    }

    /// Returns the reason for which a key could not be read, without any content of the file.
    private static func fault(isPasswordAsked: Bool, hasPassword: Bool) -> CertificateError {
        switch (isPasswordAsked, hasPassword) {
        case (true, true): CertificateError(.password, "The password of the private key is wrong")
        case (true, false): CertificateError(.password, "The private key is encrypted and no password is given")
        case (false, _): CertificateError(.malformed, "The file contains no readable private key")
        }
    }
}
