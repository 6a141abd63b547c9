import ErrandCertificateTrust
package import ErrandSettings
import ErrandTransfer
import ErrandYAML

extension GatewayServerConfiguration {
    /// The TLS settings of the server (RFC 8446).
    ///
    /// The files are read and validated together with the configuration. The contents are converted to PEM.
    package struct TLS: Sendable, Hashable {
        /// The certificates in PEM: the server's own first, then those that lead to a root.
        package var certificate: FileContent
        /// The private key of the certificate in PEM, not encrypted: a secret.
        package var key: FileContent
        /// The certificates in PEM that issue client certificates (mutual TLS); `nil` if clients do not need a
        /// certificate.
        package var clientCA: FileContent?

        /// Creates a value from its parts.
        package init(certificate: FileContent, key: FileContent, clientCA: FileContent? = nil) {
            self.certificate = certificate
            self.key = key
            self.clientCA = clientCA
        }
    }
}

extension GatewayServerConfiguration.TLS {
    fileprivate static let settings = SettingGroup(
        GatewayServerConfiguration.TLS(
            certificate: FileContent(path: "", bytes: []), key: FileContent(path: "", bytes: [])),
        [
            Setting(
                "certificate", \.certificate, .file, isRequired: true,
                "The file of the certificates: the server's own first, followed by its issuers up to a root."),
            Setting(
                "key", \.key, .file, isRequired: true,
                "The file of the private key of the certificate, which must not be encrypted."),
            Setting(
                "client_ca", \.clientCA, .nullable(.file),
                """
                The file of the certificates that issue client certificates. Clients without such a certificate are \
                refused. Null if clients do not need one. Clients of Unix sockets never need one.
                """),
        ])

    /// Returns the same files with contents in PEM.
    ///
    /// Reports files that cannot be used, and returns `nil`.
    fileprivate func checked(_ node: YAMLNode, _ reader: inout SettingReader) -> GatewayServerConfiguration.TLS? {
        guard let identity = identity(node, &reader) else { return nil }
        var checked = self
        checked.certificate = FileContent(path: certificate.path, bytes: identity.chainPEM)
        checked.key = FileContent(path: key.path, bytes: identity.privateKeyPEM)
        if let clientCA {
            do throws(CertificateError) {
                let certificates = try CertificateFile.read(clientCA.bytes)
                checked.clientCA = FileContent(
                    path: clientCA.path, bytes: ClientCertificate(chain: certificates, privateKey: []).chainPEM)
            } catch {
                reader.report(error.description, at: "client_ca", in: node)
                return nil
            }
        }
        // The server's library may not know an algorithm that the one which has read the files knows.
        if let problem = reader.valueProblem(checked) {
            reader.report(problem)
            return nil
        }
        return checked
    }
}

extension GatewayServerConfiguration.TLS {
    /// Returns the certificate with its key.
    ///
    /// Reports files that do not form an identity, and returns `nil`.
    private func identity(_ node: YAMLNode, _ reader: inout SettingReader) -> ClientCertificate? {
        do throws(CertificateError) {
            return try ClientCertificateFile.read(certificate: certificate.bytes, key: key.bytes)
        } catch {
            switch error.reason {
            case .password:
                reader.report(
                    "the key must not be encrypted; decrypt it with openssl pkey -in KEY -out NEW", at: "key", in: node)
            case .contradiction:
                // A file of PKCS #12 has its own key, but the setting of the key is required.
                reader.report(
                    """
                    expected PEM, found PKCS #12; convert the file with openssl pkcs12 -in FILE -nodes -out NEW, and \
                    name NEW here and as the key
                    """, at: "certificate", in: node)
            case .foreignKey:
                reader.report(error.description, at: "key", in: node)
            case .malformed, .missing, .unsupported, .outOfMemory:
                let hasCertificates = (try? CertificateFile.read(certificate.bytes)) != nil
                reader.report(error.description, at: hasCertificates ? "key" : "certificate", in: node)
            }
            return nil
        }
    }
}

extension SettingType where Value == GatewayServerConfiguration.TLS {
    /// The type of the files of a server's certificate and key.
    static var serverTLS: SettingType {
        .whole(GatewayServerConfiguration.TLS.settings) { $0.checked($1, &$2) }
    }
}
