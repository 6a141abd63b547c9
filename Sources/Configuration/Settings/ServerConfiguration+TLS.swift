import CertificateTrust
import Transfer
import YAML

extension ServerConfiguration {
    /// What makes connections HTTPS ones (RFC 8446).
    ///
    /// The files are read and checked together with the configuration, and are PEM from here on, whatever they were.
    package struct TLS: Sendable, Hashable {
        /// The certificates in PEM: the server's own first, then those that lead to a root.
        package var certificate: FileContent
        /// The private key of the certificate in PEM, not encrypted: a secret.
        package var key: FileContent
        /// The certificates in PEM that clients' have to lead to (mutual TLS); `nil` when clients need none.
        package var clientCA: FileContent?

        /// Creates a value from its parts.
        package init(certificate: FileContent, key: FileContent, clientCA: FileContent? = nil) {
            self.certificate = certificate
            self.key = key
            self.clientCA = clientCA
        }
    }
}

extension ServerConfiguration.TLS {
    fileprivate static let settings = SettingGroup(
        ServerConfiguration.TLS(
            certificate: FileContent(path: "", bytes: []), key: FileContent(path: "", bytes: [])),
        [
            Setting(
                "certificate", \.certificate, .file, isRequired: true,
                "The file of the certificates: the server's own first, then those that lead to a root."),
            Setting(
                "key", \.key, .file, isRequired: true,
                "The file of the private key of the certificate, not encrypted."),
            Setting(
                "client_ca", \.clientCA, .nullable(.file),
                """
                The file of the certificates that clients' have to lead to: who shows none of theirs is refused. Null when \
                clients need none.
                """),
        ])

    /// The same with contents in PEM, or `nil` when they cannot be used, which is reported.
    fileprivate func checked(_ node: YAMLNode, _ reader: inout SettingReader) -> ServerConfiguration.TLS? {
        var settings = ClientCertificateSettings()
        settings.certificate = certificate
        settings.key = key
        guard let identity = settings.read(node, &reader, passwordMember: "key") else { return nil }
        var checked = self
        checked.certificate = FileContent(path: certificate.path, bytes: identity.chainPEM)
        checked.key = FileContent(path: key.path, bytes: identity.privateKeyPEM)
        guard let clientCA else { return checked }
        do throws(CertificateError) {
            let certificates = try CertificateFile.read(clientCA.bytes)
            checked.clientCA = FileContent(
                path: clientCA.path, bytes: ClientCertificate(chain: certificates, privateKey: []).chainPEM)
            return checked
        } catch {
            reader.report(error.description, at: "client_ca", in: node)
            return nil
        }
    }
}

extension SettingType where Value == ServerConfiguration.TLS {
    /// The files of a server's certificate and key.
    static var serverTLS: SettingType {
        .whole(ServerConfiguration.TLS.settings) { $0.checked($1, &$2) }
    }
}
