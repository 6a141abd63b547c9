import ErrandText

/// A URI reference split into its components (RFC 3986 appendix B).
///
/// Nothing is validated but the characters that no component allows.
struct URLReference {
    /// In lower case.
    var scheme: String?
    var authority: ArraySlice<UInt8>?
    var path: ArraySlice<UInt8>
    var query: ArraySlice<UInt8>?

    /// Splits `text` and drops a fragment.
    init(_ text: String) throws(HTTPURLError) {
        guard text.utf8.count <= HTTPURL.maxBytes else { throw .tooLong }
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
        var rest = bytes[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            rest = rest[..<hash]
        }
        if let length = Self.schemeLength(rest) {
            scheme = String(decoding: rest.prefix(length), as: UTF8.self).lowercased()
            rest = rest.dropFirst(length + 1)
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[(mark + 1)...]
            rest = rest[..<mark]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// Returns the length of the scheme without its colon.
    ///
    /// A first segment such as `10:30` is not a scheme and hence a path.
    private static func schemeLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first, first.isASCIILetter else { return nil }
        let length = bytes.prefix { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)
        }.count
        return bytes.dropFirst(length).first == UInt8(ascii: ":") ? length : nil
    }
}
