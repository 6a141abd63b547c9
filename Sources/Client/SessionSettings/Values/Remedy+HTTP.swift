import ErrandCertificateTrust
import ErrandSettings
import ErrandTransfer

extension Remedy {
    /// Returns the class of statuses for one in capitals such as `5XX`, or without its letters such as `5`.
    static func statuses(_ text: String) -> String? {
        guard let digit = text.first, "12345".contains(digit), text.utf8.count == 1 || text.uppercased() == "\(digit)XX"
        else { return nil }
        return meant("\(digit)xx")
    }

    /// Returns the remedy of a URL without a scheme.
    static func url(_ text: String) -> String? {
        guard !text.isEmpty, !text.contains("://"), !text.hasPrefix("/"), (try? HTTPURL("https://\(text)")) != nil
        else { return nil }
        return "begin it with https://"
    }

    /// Returns the remedy of a pin without the prefix of the hash of a key, or with nearly that prefix.
    ///
    /// A text with a point is the path of a file, because Base64 has none.
    static func pin(_ text: String) -> String? {
        let start = text.prefix(7).lowercased()
        let isHash = (try? CertificatePin.parse(CertificatePin.keyPrefix + text)) != nil
        guard isHash || ["sha256/", "sha256:", "sha256="].contains(start), !text.contains(".") else { return nil }
        return "write the hash of a key as sha256//, with two slashes, and 32 bytes in Base64"
    }
}
