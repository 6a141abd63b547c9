/// The parts of a header field value between separators, such as the elements of a list (RFC 9110 §5.6.1) or the
/// parameters of an element (§5.6.6).
package enum FieldParts {
    /// Returns the parts of a text, without surrounding spaces and tabs; the empty ones too.
    ///
    /// A separator in a quoted string (RFC 9110 §5.6.4) separates nothing. Entity tags are no quoted strings.
    ///
    /// - Parameter separator: The separator, such as `,` or `;`: neither a quote nor a backslash.
    /// - Returns: `nil` if a quoted string does not end.
    package static func split(_ text: Substring, at separator: UInt8) -> [Substring]? {
        var parts: [Substring] = []
        var start = text.startIndex
        var rest = text.utf8
        while let byte = rest.first {
            if byte == UInt8(ascii: "\"") {
                var string = Substring(rest)
                guard ParameterValue.read(&string) != nil else { return nil }
                rest = string.utf8
                continue
            }
            if byte == separator {
                parts.append(text[start..<rest.startIndex].trimmingOptionalWhitespace())
                start = rest.index(after: rest.startIndex)
            }
            rest.removeFirst()
        }
        parts.append(text[start...].trimmingOptionalWhitespace())
        return parts
    }
}
