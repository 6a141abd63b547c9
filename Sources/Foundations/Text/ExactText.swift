/// A text that is compared code point by code point, as names in JSON (RFC 8259 §8.3), keys in YAML and names of files
/// are.
///
/// `String` regards canonically equivalent texts as equal, for example the Kelvin sign and the letter `K`.
///
/// Public, because the compiler inlines public functions into other modules, and package functions never.
public struct ExactText: Sendable, Hashable {
    /// The text.
    public let text: String

    /// Wraps a text.
    @inlinable
    public init(_ text: String) {
        self.text = text
    }

    /// Returns true if both texts have the same bytes.
    @inlinable
    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes: a `String` has the same hash for all its equivalent forms, and a peer could send thousands of
    /// them.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        // Eight bytes at a time: combining costs the same as for one.
        var word: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            word = word << 8 | UInt64(byte)
            count += 1
            if count & 7 == 0 { hasher.combine(word) }
        }
        if count & 7 != 0 { hasher.combine(word) }
        hasher.combine(count)
    }
}
