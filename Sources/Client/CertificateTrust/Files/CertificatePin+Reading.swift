import ErrandText
package import ErrandTransfer

extension CertificatePin {
    /// Parses the pin of a key in its configuration form: `sha256//` and 32 bytes in Base64 (RFC 7469 §2.4); also its
    /// label.
    package static func parse(_ text: String) throws(CertificateError) -> CertificatePin {
        guard text.hasPrefix(keyPrefix) else {
            throw CertificateError(.malformed, "A key pin must begin with \(keyPrefix)")
        }
        let digits = String(text.dropFirst(keyPrefix.utf8.count))
        // Base64 decoding ignores white space, but a pin must not contain any.
        guard let digest = Base64.decode(digits), digest.count == 32, Base64.encode(digest) == digits else {
            throw CertificateError(.malformed, "A key pin must be \(keyPrefix) and 32 bytes in Base64 (44 characters)")
        }
        return CertificatePin(label: text, .publicKey(sha256: digest))
    }

    /// Returns a pin for each certificate of a PEM or DER file, all with the same label.
    package static func read(_ bytes: [UInt8], label: String) throws(CertificateError) -> [CertificatePin] {
        try CertificateFile.read(bytes).map { CertificatePin(label: label, .certificate($0)) }
    }

    /// Returns the pin of a certificate's key, labelled with its configuration form.
    package static func key(of certificate: CertificateSummary) -> CertificatePin {
        CertificatePin(label: certificate.publicKeyPin, .publicKey(sha256: certificate.publicKeySHA256))
    }
}
