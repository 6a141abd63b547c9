import ErrandCertificateTrust
package import ErrandSettings
package import ErrandTransfer
import ErrandYAML

/// The files of a client certificate.
package struct ClientCertificateSettings: Sendable, Hashable {
    /// The certificate and its chain; `nil` until it was read.
    package var certificate: FileContent?
    /// The key; `nil` if the certificate's file contains it.
    package var key: FileContent?
    /// The password of the key.
    var password: String?
    /// The identity that the files form together.
    var identity: ClientCertificate?

    /// Creates the settings from which an identity was read.
    ///
    /// Only the paths of the files are known.
    package init(_ identity: ClientCertificate? = nil, from files: TLSFiles = TLSFiles()) {
        self.identity = identity
        certificate = files.clientCertificate.map { FileContent(path: $0, bytes: []) }
        key = files.clientKey.map { FileContent(path: $0, bytes: []) }
        password = files.hasClientKeyPassword ? "" : nil
    }

    static let settings = SettingGroup(
        ClientCertificateSettings(),
        [
            Setting(
                "certificate", \.certificate, .required(.file), isRequired: true,
                """
                The file of the certificate and its issuers up to a root: PEM with the own certificate first, or \
                PKCS #12, which also contains the key.
                """),
            Setting(
                "key", \.key, .nullable(.file),
                "The file of the private key; null if the certificate's file contains it."),
            Setting(
                "password", \.password, .nullable(.secret(minimum: 1)),
                "The password of the private key, or of the PKCS #12 file."),
        ])

    /// Returns the certificate with its key.
    ///
    /// Reports files that do not form an identity, and returns `nil`.
    func read(_ node: YAMLNode, _ reader: inout SettingReader) -> ClientCertificate? {
        guard let certificate else { return nil }
        do throws(CertificateError) {
            return try ClientCertificateFile.read(
                certificate: certificate.bytes, key: key?.bytes, password: password)
        } catch {
            let member =
                switch error.reason {
                case .password: "password"
                case .foreignKey, .contradiction: key == nil ? "certificate" : "key"
                default: key == nil || !holdsCertificates(certificate) ? "certificate" : "key"
                }
            reader.report(error.description, at: member, in: node)
            return nil
        }
    }

    private func holdsCertificates(_ file: FileContent) -> Bool {
        (try? CertificateFile.read(file.bytes)) != nil
    }
}

extension SettingType where Value == ClientCertificateSettings {
    /// The type of the files of a certificate and its key.
    static var clientCertificate: SettingType {
        .whole(ClientCertificateSettings.settings) { value, node, reader in
            var value = value
            value.identity = value.read(node, &reader)
            return value.identity == nil ? nil : value
        }
    }
}
