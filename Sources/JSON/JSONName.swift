/// A member's name, compared as JSON compares names: code point by code point (RFC 8259 §8.3).
///
/// `String` takes canonically equivalent texts for the same, such as the Kelvin sign and the letter `K`.
struct JSONName: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: JSONName, right: JSONName) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes: a `String` hashes all its equivalent forms alike, and a peer could send thousands of them.
    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
