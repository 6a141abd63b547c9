import Transfer
import YAML

extension TLSOptions {
    /// The section `security` of a session.
    static let settings = SettingGroup(
        TLSOptions(),
        [
            Setting(
                "pinning", \.trust.pinning, .choice(),
                """
                What has to match a pin besides a valid chain. `none`: nothing. `public_key`: the key of a certificate of \
                the chain. `certificate`: a certificate of the chain; then the pins are the only certificates that are \
                trusted.
                """),
            Setting(
                "pins", \.trust.pins, .pins,
                """
                The pins; one that matches is enough, so that several serve a rotation. `sha256//` and the SHA-256 of a \
                key's SubjectPublicKeyInfo in Base64 (RFC 7469 §2.4), for `public_key` only; or the path of a file with \
                certificates in PEM or DER. `errand pin` shows those of a server.
                """),
            Setting(
                "pin_scope", \.trust.pinScope, .choice(),
                """
                Which certificates of the chain may match a pin. `any`: each. `leaf`: the server's own.
                """),
            Setting(
                "allow_invalid_certificates", \.trust.allowsInvalidCertificates, .boolean,
                """
                Whether a chain is forgiven that ends in nobody's root, is out of date, or is another host's. With \
                `pinning: certificate` it has to lead to a pin all the same, in date and for the host. Without pins it \
                needs `validate_domain: false`. Told as a warning at every start.
                """),
            Setting(
                "validate_domain", \.trust.validatesDomain, .boolean,
                "Whether the certificate has to be the host's (RFC 9525)."),
            Setting(
                "ca_file", \.caFile, .nullable(.certificates),
                """
                The file of the certificates, PEM or DER, that chains have to lead to; they need not be roots. Null for \
                the system's roots.
                """),
            Setting(
                "client_certificate", \.clientCertificateSettings, .nullable(.clientCertificate),
                """
                The certificate that is shown to servers that ask for one: those of the origin of `base_url` and of the \
                token endpoint of `credentials.oauth2`, or, without a `base_url`, to all.
                """),
            Setting("min_tls", \.minimumVersion, .choice(), "The oldest version of TLS that is spoken."),
            Setting(
                "revocation", \.trust.revocation, .choice(),
                """
                Whether the server has to show that its certificate is not revoked. `stapled`: by an OCSP response in the \
                handshake (RFC 6066 §8).
                """),
        ])

    private var caFile: CertificatesFile? {
        get {
            guard case .certificates(let certificates) = trust.anchors else { return nil }
            return CertificatesFile(path: files.anchors ?? "", certificates: certificates)
        }
        set {
            trust.anchors = newValue.map { .certificates($0.certificates) } ?? .system
            files.anchors = newValue?.path
        }
    }

    private var clientCertificateSettings: ClientCertificateSettings? {
        get { clientCertificate.map { ClientCertificateSettings($0, from: files) } }
        set {
            clientCertificate = newValue?.identity
            files.clientCertificate = newValue?.certificate?.path
            files.clientKey = newValue?.key?.path
            files.hasClientKeyPassword = newValue?.password != nil
        }
    }
}
