import COpenSSL

/// A private key that OpenSSL has read.
struct PrivateKey: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes over a reference.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Reads a key: PEM of PKCS #8 (RFC 5958), PKCS #1 or SEC 1, encrypted or not; or one in DER, not encrypted.
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

    /// The key in PKCS #8, DER, not encrypted: a secret.
    func pkcs8() throws(CertificateError) -> [UInt8] {
        guard let wrapped = ErrorQueue.preserving({ EVP_PKEY2PKCS8(pointer) }) else {
            throw CertificateError(.unsupported, "The key cannot be written in PKCS #8")
        }
        defer { PKCS8_PRIV_KEY_INFO_free(wrapped) }
        return try derBytes { i2d_PKCS8_PRIV_KEY_INFO(wrapped, $0) }
    }

    /// Whether a certificate is for this key.
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

    /// Why a key could not be read, without a word of it.
    private static func fault(isPasswordAsked: Bool, hasPassword: Bool) -> CertificateError {
        switch (isPasswordAsked, hasPassword) {
        case (true, true): CertificateError(.password, "The password does not open the private key")
        case (true, false): CertificateError(.password, "The private key is encrypted, and there is no password")
        case (false, _): CertificateError(.malformed, "The file holds no private key that can be read")
        }
    }
}
