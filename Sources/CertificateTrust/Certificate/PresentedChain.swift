/// The certificates that a peer presented, all of which could be read.
struct PresentedChain {
    /// The most certificates that are read; no chain of the public web has more than five.
    static let maxCertificates = 32
    /// The most bytes of all of them: what OpenSSL's handshake accepts by default (`SSL_CTX_set_max_cert_list(3)`).
    static let maxBytes = 100 * 1024

    /// The peer's own certificate.
    let leaf: Certificate
    /// What came after it, in the peer's order: candidates for the path, nothing more.
    let others: [Certificate]

    /// All of them.
    var certificates: [Certificate] { [leaf] + others }

    /// Reads certificates in DER.
    init(_ presented: [[UInt8]]) throws(CertificateError) {
        guard let first = presented.first else { throw CertificateError(.missing, "The peer presented no certificate") }
        guard presented.count <= Self.maxCertificates else {
            throw CertificateError(
                .malformed, "The peer presented \(presented.count) certificates, more than \(Self.maxCertificates)")
        }
        guard presented.reduce(0, { $0 + $1.count }) <= Self.maxBytes else {
            throw CertificateError(.malformed, "The peer presented more than \(Self.maxBytes) bytes of certificates")
        }
        leaf = try Certificate(der: first, name: "Certificate 1 of the peer")
        var others: [Certificate] = []
        for (index, der) in presented.enumerated().dropFirst() {
            others.append(try Certificate(der: der, name: "Certificate \(index + 1) of the peer"))
        }
        self.others = others
    }
}
