/// `OWS` of RFC 9110 §5.6.3: spaces and tabs around a value, which are no part of it.
enum OptionalWhitespace {
    static func trimmed(_ text: Substring) -> Substring {
        var bytes = text.utf8.drop(while: isWhitespace)
        while let last = bytes.last, isWhitespace(last) { bytes.removeLast() }
        return Substring(bytes)
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
