import ErrandCertificateTrust
import ErrandSettings
import ErrandTransfer
import ErrandYAML

/// A file of certificates.
struct CertificatesFile: Sendable, Hashable {
    /// The path as the configuration has it.
    var path: String
    /// The certificates in DER, at least one.
    var certificates: [[UInt8]]
}

extension SettingType where Value == CertificatesFile {
    /// The type of a path to a file of certificates, PEM or DER.
    static var certificates: SettingType {
        SettingType<FileContent>.file.transformed(
            { file, reader in
                do throws(CertificateError) {
                    return CertificatesFile(path: file.path, certificates: try CertificateFile.read(file.bytes))
                } catch {
                    reader.report(error.description)
                    return nil
                }
            },
            { FileContent(path: $0.path, bytes: []) })
    }
}

extension SettingType where Value == [CertificatePin] {
    /// The type of a list of pins: hashes of keys, or paths of files with one or more certificates.
    static var pins: SettingType {
        let list = SettingType<[[CertificatePin]]>.list(of: .pin)
        return SettingType(
            shape: list.shape,
            read: { node, _, reader in list.read(node, nil, &reader).map { Array($0.joined()) } },
            write: { pins in list.write(pins.items.map { Array($0) }) })
    }

    /// The type of one item of the list.
    ///
    /// The pins of a file have its path as their label.
    private static var pin: SettingType {
        SettingType<String>.text("`sha256//` and 32 bytes in Base64, or path of a file").transformed(
            { text, reader in
                do throws(CertificateError) {
                    if text.hasPrefix(CertificatePin.keyPrefix) { return [try CertificatePin.parse(text)] }
                    guard !text.contains(where: \.isNewline) else {
                        reader.report("expected a pin, or the path of a file, found several lines")
                        return nil
                    }
                    if let remedy = Remedy.pin(text) {
                        reader.report("expected a pin, or the path of a file; \(remedy)")
                        return nil
                    }
                    guard let bytes = reader.contents(of: text) else { return nil }
                    return try CertificatePin.read(bytes, label: text)
                } catch {
                    reader.report(error.description)
                    return nil
                }
            },
            { $0.first?.label ?? "" })
    }
}

extension [CertificatePin] {
    /// The pins, grouped by the list item from which they were read.
    var items: [ArraySlice<CertificatePin>] {
        var items: [ArraySlice<CertificatePin>] = []
        var rest = self[...]
        while let label = rest.first?.label {
            let end = rest.firstIndex { $0.label != label } ?? rest.endIndex
            items.append(rest[..<end])
            rest = rest[end...]
        }
        return items
    }
}
