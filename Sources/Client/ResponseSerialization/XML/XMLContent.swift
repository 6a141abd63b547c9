import ErrandCharset
import ErrandXML

/// Parses content as XML in any available charset.
///
/// The encoding is that of the byte order mark, else the charset of the content type, else that of the XML declaration,
/// else UTF-8 (RFC 7303 §3). An unknown charset in the content type counts as missing, because the declaration is the
/// better source. An unknown encoding in the declaration is an error, because the encoding could only be guessed.
enum XMLContent {
    /// Returns the document in the content.
    ///
    /// - Parameter charset: The `charset` parameter of the content type.
    static func document(
        _ content: [UInt8], charset: String?, limits: XMLLimits = XMLLimits()
    ) throws(XMLError) -> XMLDocument {
        do throws(XMLError) {
            return try XMLDocument.parse(content, limits: limits, encoding: charset)
        } catch {
            // The C library may know encodings that the parser does not know.
            guard case .unknownEncoding(let name) = error.reason else { throw error }
            if let text = try decode(content, from: name) {
                return try XMLDocument.parse(text, limits: limits, encoding: "UTF-8")
            }
            guard charset != nil else { throw error }
            return try document(content, charset: nil, limits: limits)
        }
    }

    /// Returns the content in UTF-8; `nil` if the C library does not know the encoding either.
    private static func decode(_ content: [UInt8], from name: String) throws(XMLError) -> [UInt8]? {
        guard let decoded = Charset.decodeAsDeclared(content, label: name) else { return nil }
        guard decoded.isWellFormed else {
            throw XMLError(.malformed, "the text is malformed for its encoding", line: 1, column: 1)
        }
        return Array(decoded.text.utf8)
    }
}
