/// The certificates that a peer presented, all successfully parsed.
struct PresentedChain {
    /// The most certificates that are accepted; chains of the public web have at most five.
    static let maxCertificates = 32
    /// The most bytes in total, the default limit of OpenSSL's handshake (`SSL_CTX_set_max_cert_list(3)`).
    static let maxBytes = 100 * 1024

    /// The peer's own certificate.
    let leaf: Certificate
    /// The other certificates in the peer's order; they are only candidates for the path.
    let others: [Certificate]

    /// All certificates, the peer's own first.
    var certificates: [Certificate] { [leaf] + others }

    /// Parses certificates in DER.
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
