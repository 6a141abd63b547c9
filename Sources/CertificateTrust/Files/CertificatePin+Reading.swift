import BinaryText
package import Transfer

extension CertificatePin {
    /// The pin of a key as configurations write it: `sha256//` and 32 bytes in Base64 (RFC 7469 §2.4), its own label.
    package static func parse(_ text: String) throws(CertificateError) -> CertificatePin {
        guard text.hasPrefix(keyPrefix) else {
            throw CertificateError(.malformed, "A pin of a key begins with \(keyPrefix)")
        }
        let digits = String(text.dropFirst(keyPrefix.utf8.count))
        // Base64 allows white space; a pin is one word.
        guard let digest = Base64.decode(digits), digest.count == 32, Base64.encode(digest) == digits else {
            throw CertificateError(.malformed, "A pin of a key is \(keyPrefix) and 32 bytes in Base64, 44 characters")
        }
        return CertificatePin(label: text, .publicKey(sha256: digest))
    }

    /// The pins of a file of certificates, PEM or DER: each of them, with the same label.
    package static func read(_ bytes: [UInt8], label: String) throws(CertificateError) -> [CertificatePin] {
        try CertificateFile.read(bytes).map { CertificatePin(label: label, .certificate($0)) }
    }

    /// The pin of a certificate's key, labelled as configurations write it.
    package static func key(of certificate: CertificateSummary) -> CertificatePin {
        CertificatePin(label: certificate.publicKeyPin, .publicKey(sha256: certificate.publicKeySHA256))
    }
}
