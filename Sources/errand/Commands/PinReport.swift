import Transfer

/// The pins of a chain as a part of the configuration file.
struct PinReport {
    private let certificates: [CertificateSummary]

    init(_ certificates: [CertificateSummary]) {
        self.certificates = certificates
    }

    /// The section `security` of a session, with a line for each certificate.
    var yaml: String {
        var lines = [
            "security:",
            "  pinning: public_key",
            "  pins:",
        ]
        for (index, certificate) in certificates.enumerated() {
            let role = index == 0 ? "the server's own" : "an issuer's"
            lines.append("    - \"\(certificate.publicKeyPin)\"  # \(role): \(certificate.subject)")
        }
        return lines.joined(separator: "\n")
    }
}
