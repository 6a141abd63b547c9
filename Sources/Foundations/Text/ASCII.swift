/// Character classes of ABNF (RFC 5234 appendix B.1).
///
/// Public, because the compiler inlines public functions into other modules, and package functions never.
extension UInt8 {
    /// True for ALPHA.
    @inlinable
    public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// True for DIGIT.
    @inlinable
    public var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// True for WSP: a space or a tab.
    @inlinable
    public var isASCIIBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// The letter in lower case; other bytes as they are.
    @inlinable
    public var asciiLowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}
