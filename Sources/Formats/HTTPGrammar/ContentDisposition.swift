import ErrandText

/// The value of a `Content-Disposition` field (RFC 6266).
package struct ContentDisposition: Sendable, Hashable {
    /// The type in lower case, such as `attachment`.
    package let type: String
    /// The suggested file name as it was sent; `nil` if there is none.
    ///
    /// `filename*` (RFC 8187) has precedence over `filename` if it can be decoded. The name is not checked: it may be
    /// empty, and contain slashes and control characters.
    package let filename: String?
    /// The value of `filename` if `filename*` has precedence: a second suggestion; `nil` if there is none.
    package let plainFilename: String?

    /// Parses a header field value; returns `nil` if it does not begin with a token.
    ///
    /// Malformed parameters, and the text after one, are omitted. The first of several parameters with one name is
    /// used.
    package init?(_ value: String) {
        let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
        let type = value[..<end].trimmingOptionalWhitespace()
        guard Token.isToken(type.utf8) else { return nil }
        self.type = type.lowercased()
        let parameters = MediaType.parameters(value[end...])
        let extended = parameters.first { $0.name == "filename*" }.flatMap { ParameterValue.decodeExtended($0.value) }
        let plain = parameters.first { $0.name == "filename" }?.value
        filename = extended ?? plain
        plainFilename = extended == nil ? nil : plain
    }
}

extension ParameterValue {
    /// Decodes an extended value, such as `UTF-8'en'%e2%82%ac%20rates` (RFC 8187 §3.2.1).
    ///
    /// The character set is UTF-8, or ISO-8859-1, which RFC 5987 required. The language is ignored.
    ///
    /// - Returns: `nil` if the value has another form or another character set, or is not valid in its character set.
    package static func decodeExtended(_ value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = PercentCoding.decodeStrictly(parts[2]) else { return nil }
        switch Substring(parts[0]).lowercased() {
        case "utf-8":
            return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        default:
            return nil
        }
    }
}
