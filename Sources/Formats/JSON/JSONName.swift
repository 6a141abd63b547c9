/// A member's name that compares as JSON names do: code point by code point (RFC 8259 §8.3).
///
/// `String` regards canonically equivalent texts as equal, for example the Kelvin sign and the letter `K`.
struct JSONName: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: JSONName, right: JSONName) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes: a `String` has the same hash for all its equivalent forms, and a peer could send thousands of
    /// them.
    func hash(into hasher: inout Hasher) {
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
