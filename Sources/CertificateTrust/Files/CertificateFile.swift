/// Certificates as files hold them.
package enum CertificateFile {
    /// The most bytes of a file; the roots of a system are some 220 KB.
    package static let maxBytes = 4 * 1024 * 1024

    /// The certificates of a file, each in DER, in the file's order.
    ///
    /// A file is PEM (RFC 7468) with at least one certificate, where other blocks and text are skipped, or exactly one
    /// certificate in DER.
    package static func read(_ bytes: [UInt8]) throws(CertificateError) -> [[UInt8]] {
        guard bytes.count <= maxBytes else {
            throw CertificateError(.malformed, "A file of certificates has at most \(maxBytes) bytes")
        }
        guard !bytes.isEmpty else { throw CertificateError(.missing, "The file is empty") }
        guard PEMBlock.isPEM(bytes) else {
            return [try Certificate(der: bytes, name: "The file is not PEM, and").der()]
        }
        let blocks = try PEMBlock.read(bytes, labels: ["CERTIFICATE", "X509 CERTIFICATE"])
        guard !blocks.isEmpty else { throw CertificateError(.missing, "The file holds no certificate") }
        var certificates: [[UInt8]] = []
        for (index, block) in blocks.enumerated() {
            certificates.append(try Certificate(der: block.bytes, name: "Certificate \(index + 1) of the file").der())
        }
        return certificates
    }
}
