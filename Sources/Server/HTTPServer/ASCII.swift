/// Character classes of the grammar of HTTP messages (RFC 9110 §5.6).
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let delete: UInt8 = 0x7F

    /// Returns true for a character of a quoted string: visible, blank, or beyond ASCII.
    static func isText(_ byte: UInt8) -> Bool {
        byte == tab || byte >= space && byte != delete
    }

    /// Returns the character of `HTTP/` at an index from 0 to 4.
    static func versionPrefix(at index: Int) -> UInt8 {
        switch index {
        case 0: UInt8(ascii: "H")
        case 1, 2: UInt8(ascii: "T")
        case 3: UInt8(ascii: "P")
        default: UInt8(ascii: "/")
        }
    }
}
