import ErrandText

/// The digest that a downloaded file must have.
///
/// ```swift
/// options.checksum = .sha256("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
/// ```
public struct DownloadChecksum: Sendable, Hashable {
    /// The digest in hexadecimal digits, as it was given.
    public let text: String

    /// A SHA-256 digest (FIPS 180-4).
    ///
    /// - Parameter text: 64 hexadecimal digits, in either case.
    public static func sha256(_ text: String) -> DownloadChecksum {
        DownloadChecksum(text: text)
    }

    /// The bytes of the digest; `nil` if the text is not a digest.
    package var bytes: [UInt8]? {
        guard let bytes = Hexadecimal.decode(text), bytes.count == 32 else { return nil }
        return bytes
    }
}
