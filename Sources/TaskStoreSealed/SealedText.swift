import Sealing
import TaskStore

/// Sealed bytes where the store has a text: a zero, and Base64 for URLs (RFC 4648 §5).
///
/// No value of a cookie begins with a zero, which cannot be part of a header field (RFC 9110 §5.5).
enum SealedText {
    /// Whether a text begins like a sealed one, whatever follows.
    static func isSealed(_ text: String) -> Bool {
        text.utf8.first == 0
    }

    /// The text of sealed bytes.
    static func encode(_ bytes: [UInt8]) -> String {
        "\u{0}" + Base64URL.encode(bytes)
    }

    /// The sealed bytes of a text that begins like one.
    static func decode(_ text: String) throws(SealingError) -> [UInt8] {
        guard isSealed(text), let bytes = Base64URL.decode(String(text.unicodeScalars.dropFirst())) else {
            throw SealingError(.tampered, "The sealed text was changed")
        }
        return bytes
    }
}
