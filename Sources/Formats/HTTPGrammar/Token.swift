/// The `token` of RFC 9110 §5.6.2, which names, methods and media types consist of.
///
/// Usable from inline, because the compiler inlines no other package functions into other modules.
@usableFromInline
package enum Token {
    /// Returns true if `bytes` are a token, which is never empty.
    package static func isToken(_ bytes: some Sequence<UInt8>) -> Bool {
        var isEmpty = true
        for byte in bytes {
            guard isTokenCharacter(byte) else { return false }
            isEmpty = false
        }
        return !isEmpty
    }

    /// Returns true if `byte` is a `tchar`.
    @inlinable
    package static func isTokenCharacter(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        let bits = byte < 64 ? lowCharacters : highCharacters
        return bits >> UInt64(byte & 63) & 1 == 1
    }

    /// Letters, digits and ``!#$%&'*+-.
    /// _`|~``: a bit for each character, below 64 and from 64 on.
    @usableFromInline static let lowCharacters: UInt64 = 0x03FF_6CFA_0000_0000
    @usableFromInline static let highCharacters: UInt64 = 0x57FF_FFFF_C7FF_FFFE
}
