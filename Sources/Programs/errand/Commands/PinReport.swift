import ErrandTransfer

/// The pins of a certificate chain, in the format of the configuration file.
struct PinReport {
    private let certificates: [CertificateSummary]

    init(_ certificates: [CertificateSummary]) {
        self.certificates = certificates
    }

    /// The `security` section of a session, with one line per certificate.
    var yaml: String {
        var lines = [
            "security:",
            "  pinning: public_key",
            "  pins:",
        ]
        for (index, certificate) in certificates.enumerated() {
            let role = index == 0 ? "server certificate" : "issuer certificate"
            lines.append("    - \"\(certificate.publicKeyPin)\"  # \(role): \(certificate.subject)")
        }
        return lines.joined(separator: "\n")
    }
}
