import ErrandCryptography
import ErrandTaskStore
import ErrandText

/// Sealed bytes as text, for columns with text: a NUL character followed by Base64 for URLs (RFC 4648 §5).
///
/// No cookie value begins with a NUL, which is not allowed in header fields (RFC 9110 §5.5).
enum SealedText {
    /// Returns true if a text has the prefix of sealed text.
    static func isSealed(_ text: String) -> Bool {
        text.utf8.first == 0
    }

    /// Returns the text of sealed bytes.
    static func encode(_ bytes: [UInt8]) -> String {
        "\u{0}" + Base64URL.encode(bytes)
    }

    /// Returns the sealed bytes of a text with the prefix.
    static func decode(_ text: String) throws(SealingError) -> [UInt8] {
        guard isSealed(text), let bytes = Base64URL.decode(String(text.unicodeScalars.dropFirst())) else {
            throw SealingError(.tampered, "The sealed text was modified")
        }
        return bytes
    }
}
