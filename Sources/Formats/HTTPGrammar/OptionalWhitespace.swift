import ErrandText

extension Substring {
    /// Returns the text without surrounding spaces and tabs (OWS, RFC 9110 §5.6.3).
    package func trimmingOptionalWhitespace() -> Substring {
        var bytes = utf8
        while let first = bytes.first, first.isASCIIBlank { bytes.removeFirst() }
        while let last = bytes.last, last.isASCIIBlank { bytes.removeLast() }
        return Substring(bytes)
    }
}
