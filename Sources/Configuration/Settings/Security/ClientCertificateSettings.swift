import CertificateTrust
import Transfer
import YAML

/// What a client certificate is read from.
struct ClientCertificateSettings: Sendable, Hashable {
    /// The certificate and its chain; not there before it is read.
    var certificate: FileContent?
    /// The key; `nil` when it is in the file of the certificate.
    var key: FileContent?
    /// The password of the key.
    var password: String?
    /// What all of them are together.
    var identity: ClientCertificate?

    /// The settings that an identity was read from.
    ///
    /// Of the files only the paths are known.
    init(_ identity: ClientCertificate? = nil, from files: TLSFiles = TLSFiles()) {
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
                The file of the certificate and those that lead to a root: PEM, its own first, or PKCS #12, which holds \
                the key too.
                """),
            Setting(
                "key", \.key, .nullable(.file),
                "The file of the private key; null when it is in that of the certificate."),
            Setting(
                "password", \.password, .nullable(.secret(minimum: 1)), "The password of the private key, or PKCS #12."),
        ])

    /// The certificate with its key, or `nil` when they are none, which is reported.
    ///
    /// - Parameter passwordMember: Where it is reported that the password is missing or wrong.
    func read(
        _ node: YAMLNode, _ reader: inout SettingReader, passwordMember: String = "password"
    ) -> ClientCertificate? {
        guard let certificate else { return nil }
        do throws(CertificateError) {
            return try ClientCertificateFile.read(
                certificate: certificate.bytes, key: key?.bytes, password: password)
        } catch {
            let member =
                switch error.reason {
                case .password: passwordMember
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
    /// The files of a certificate and its key.
    static var clientCertificate: SettingType {
        .whole(ClientCertificateSettings.settings) { value, node, reader in
            var value = value
            value.identity = value.read(node, &reader)
            return value.identity == nil ? nil : value
        }
    }
}
