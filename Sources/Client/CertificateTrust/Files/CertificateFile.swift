/// A reader of certificate files.
package enum CertificateFile {
    /// The most bytes of a file; the root certificates of a system take about 220 KB.
    package static let maxBytes = 4 * 1024 * 1024

    /// Returns the certificates of a file in DER, in the file's order.
    ///
    /// A file is either PEM (RFC 7468) with at least one certificate, in which other blocks and text are skipped, or
    /// exactly one certificate in DER.
    package static func read(_ bytes: [UInt8]) throws(CertificateError) -> [[UInt8]] {
        guard bytes.count <= maxBytes else {
            throw CertificateError(.malformed, "The file is larger than \(maxBytes) bytes")
        }
        guard !bytes.isEmpty else { throw CertificateError(.missing, "The file is empty") }
        guard PEMBlock.isPEM(bytes) else {
            return [try Certificate(der: bytes, name: "The file is not PEM and").der()]
        }
        let blocks = try PEMBlock.read(bytes, labels: ["CERTIFICATE", "X509 CERTIFICATE"])
        guard !blocks.isEmpty else { throw CertificateError(.missing, "The file contains no certificate") }
        var certificates: [[UInt8]] = []
        for (index, block) in blocks.enumerated() {
            certificates.append(try Certificate(der: block.bytes, name: "Certificate \(index + 1) of the file").der())
        }
        return certificates
    }
}
