import ErrandCryptography
import ErrandTaskStore
import ErrandText

/// Sealed bytes as text, for columns with text: a character that no value there begins with, followed by Base64 for
/// URLs (RFC 4648 §5).
///
/// The values are those of header fields, in which neither character is allowed (RFC 9110 §5.5).
enum SealedText {
    /// The first character of sealed text.
    enum Mark: String {
        /// A NUL, for the values of cookies.
        case null = "\u{0}"
        /// A line feed, for columns of the type TEXT, whose values are read up to their first NUL.
        case lineFeed = "\n"
    }

    /// Returns true if a text has the prefix of sealed text.
    static func isSealed(_ text: String, mark: Mark = .null) -> Bool {
        text.utf8.first == mark.rawValue.utf8.first
    }

    /// Returns the text of sealed bytes.
    static func encode(_ bytes: [UInt8], mark: Mark = .null) -> String {
        mark.rawValue + Base64URL.encode(bytes)
    }

    /// Returns the sealed bytes of a text with the prefix.
    static func decode(_ text: String, mark: Mark = .null) throws(SealingError) -> [UInt8] {
        guard isSealed(text, mark: mark), let bytes = Base64URL.decode(String(text.unicodeScalars.dropFirst())) else {
            throw SealingError(.tampered, "The sealed text was modified")
        }
        return bytes
    }
}
