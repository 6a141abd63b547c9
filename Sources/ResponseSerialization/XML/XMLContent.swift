import Charset
import XML

/// Reads content as XML, in any charset that there is.
///
/// The encoding is that of the byte order mark, else the charset of the content type, else what the XML declaration
/// says, else UTF-8 (RFC 7303 §3). A charset of an unknown name is as good as none, for there the declaration has a
/// better answer; a declaration of an unknown name is an error, as the document can only be guessed.
enum XMLContent {
    /// The document that content means.
    ///
    /// - Parameter charset: The `charset` parameter of the content type.
    static func document(
        _ content: [UInt8], charset: String?, limits: XMLLimits = XMLLimits()
    ) throws(XMLError) -> XMLDocument {
        do throws(XMLError) {
            return try XMLDocument.parse(content, limits: limits, encoding: charset)
        } catch {
            // What the parser does not know, the C library may.
            guard case .unknownEncoding(let name) = error.reason else { throw error }
            if let text = try decode(content, from: name) {
                return try XMLDocument.parse(text, limits: limits, encoding: "UTF-8")
            }
            guard charset != nil else { throw error }
            return try document(content, charset: nil, limits: limits)
        }
    }

    /// The content in UTF-8; `nil` when the encoding is unknown here too.
    private static func decode(_ content: [UInt8], from name: String) throws(XMLError) -> [UInt8]? {
        guard let decoded = Charset.decodeAsDeclared(content, label: name) else { return nil }
        guard decoded.isWellFormed else {
            throw XMLError(.malformed, "the text is malformed for its encoding", line: 1, column: 1)
        }
        return Array(decoded.text.utf8)
    }
}
