import ErrandSettings
import ErrandTransfer
import ErrandYAML

extension TLSOptions {
    /// The section `security` of a session.
    static let settings = SettingGroup(
        TLSOptions(),
        [
            Setting(
                "pinning", \.trust.pinning, .choice(),
                """
                The part of the chain that must match a pin, in addition to a valid chain. `none`: no part. \
                `public_key`: the key of a certificate of the chain. `certificate`: a certificate of the chain; the \
                pins are then the only trusted certificates. Requires a `base_url`, because pins belong to one \
                server.
                """),
            Setting(
                "pins", \.trust.pins, .pins,
                """
                The pins, of which one must match, so that keys can be rotated. Either `sha256//` and the SHA-256 of \
                a key's SubjectPublicKeyInfo in Base64 (RFC 7469 §2.4), for `public_key` only, or the path of a file \
                with certificates in PEM or DER. `errand pin` shows the pins of a server.
                """),
            Setting(
                "pin_scope", \.trust.pinScope, .choice(),
                """
                The certificates of the chain that may match a pin. `any`: every certificate. `leaf`: the server's \
                own.
                """),
            Setting(
                "allow_invalid_certificates", \.trust.allowsInvalidCertificates, .boolean,
                """
                If true, chains without a trusted root, outside their validity period or for another host are \
                accepted. With `pinning: certificate` the chain must still lead to a pin, be valid today and match \
                the host. Without pins `validate_domain: false` is required too. This logs a warning at every start.
                """),
            Setting(
                "validate_domain", \.trust.validatesDomain, .boolean,
                "If true, the certificate must match the host (RFC 9525)."),
            Setting(
                "ca_file", \.caFile, .nullable(.certificates),
                """
                The file of the trusted certificates, PEM or DER, which need not be roots. Null for the system's \
                roots.
                """),
            Setting(
                "client_certificate", \.clientCertificateSettings, .nullable(.clientCertificate),
                """
                The certificate that is sent to servers that request one: those of the origin of `base_url` and of \
                the token endpoint of `credentials`. It requires `base_url`.
                """),
            Setting("min_tls", \.minimumVersion, .choice(), "The oldest accepted version of TLS."),
            Setting(
                "revocation", \.trust.revocation, .choice(),
                """
                The check for revoked certificates. `stapled`: the server must send a valid OCSP response in the \
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
