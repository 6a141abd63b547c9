/// An XML document as a tree.
///
/// It is safe for untrusted input: entities and default values of attributes, by which a DTD adds to the content of a
/// document, are rejected at their declaration, and an external DTD is never loaded. The rest of a DTD is ignored:
/// documents are not validated.
///
/// | in the document | in the tree |
/// | --- | --- |
/// | text, CDATA sections | text; adjacent texts are merged |
/// | character references, `&lt;` `&gt;` `&amp;` `&quot;` `&apos;` | the characters |
/// | whitespace between elements | ordinary text, because only a DTD could mark it as insignificant |
/// | comments, processing instructions, declarations of namespaces | nothing |
/// | other references to entities | an error |
public struct XMLDocument: Sendable, Hashable {
    /// The root element.
    public var root: XMLElement

    /// Creates a document.
    public init(root: XMLElement) {
        self.root = root
    }

    /// Parses a document: XML 1.0 with namespaces, in UTF-8, UTF-16, ISO-8859-1 or US-ASCII.
    ///
    /// - Parameters:
    ///   - bytes: The whole document.
    ///   - limits: The limits of its size.
    ///   - encoding: The charset of the Content-Type, which takes precedence over the XML declaration. A byte order
    ///     mark takes precedence over both (RFC 7303 §3).
    /// - Throws: ``XMLError/Reason/unknownEncoding(_:)`` for any other encoding: decode the text and pass `UTF-8`.
    public static func parse(
        _ bytes: [UInt8], limits: XMLLimits = XMLLimits(), encoding: String? = nil
    ) throws(XMLError) -> XMLDocument {
        let mark = ByteOrderMark(bytes)
        guard mark != .utf32 else {
            throw XMLError(.unknownEncoding(ByteOrderMark.utf32.rawValue), "unknown encoding", line: 1, column: 1)
        }
        let parser = try ExpatParser(encoding: mark?.rawValue ?? encoding, limits: limits)
        return XMLDocument(root: try parser.parse(bytes))
    }
}

/// A byte order mark at the start of a text.
private enum ByteOrderMark: String {
    case utf8 = "UTF-8"
    case utf16 = "UTF-16"
    case utf32 = "UTF-32"

    init?(_ bytes: [UInt8]) {
        switch (bytes.first, bytes.dropFirst().first, bytes.dropFirst(2).first, bytes.dropFirst(3).first) {
        case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): self = .utf32
        case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _): self = .utf16
        case (0xEF, 0xBB, 0xBF, _): self = .utf8
        default: return nil
        }
    }
}
