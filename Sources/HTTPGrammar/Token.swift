/// `token` of RFC 9110 §5.6.2: what names, methods and media types are written in.
package enum Token {
    /// Whether `bytes` are one, which is never empty.
    package static func isToken(_ bytes: some Sequence<UInt8>) -> Bool {
        var isEmpty = true
        for byte in bytes {
            guard isTokenCharacter(byte) else { return false }
            isEmpty = false
        }
        return !isEmpty
    }

    /// Whether `byte` is a `tchar`.
    package static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
