import ErrandText

/// The escaping of queries and forms: UTF-8, percent-encoded (RFC 3986 §2.1) with upper-case digits.
///
/// ASCII letters and digits and `-._~/?` are not escaped: the unreserved characters, and two more that a query may
/// contain (RFC 3986 §3.4).
enum ParameterEscaping {
    private static let unescaped = ASCIISet.unreserved.union("/?")

    /// Appends a text with the necessary escapes.
    static func append(_ text: String, to bytes: inout [UInt8], spaces: ParameterEncoding.SpaceStyle) {
        PercentCoding.append(text.utf8, keeping: unescaped, spaceIsPlus: spaces == .plus, to: &bytes)
    }
}
