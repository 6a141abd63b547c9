import CErrandExpat

/// An expat parser for a single document.
///
/// It owns the `XML_Parser`, and is the user data of the callbacks, which occur only during ``parse(_:)`` of this
/// object. Not thread-safe.
final class ExpatParser {
    /// The separator of a namespace and a local name; XML 1.0 (§2.2) does not allow this character in names.
    static let separator: CChar = 0x01

    /// The tree so far.
    var builder: XMLTreeBuilder
    private let parser: XML_Parser
    private var unknownEncoding: String?
    /// The location of the builder's fault: the parser itself continues to the end of the reported input.
    private var failurePlace: (line: Int, column: Int)?

    /// Creates a parser.
    ///
    /// - Parameter encoding: The encoding of the text, which overrides its declaration; `nil` uses the declaration.
    init(encoding: String?, limits: XMLLimits) throws(XMLError) {
        guard let parser = XML_ParserCreateNS(encoding, Self.separator) else { throw Self.noMemory }
        self.parser = parser
        builder = XMLTreeBuilder(limits: limits)
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser, startElement, endElement)
        XML_SetCharacterDataHandler(parser, characterData)
        XML_SetStartDoctypeDeclHandler(parser, startDoctype)
        XML_SetEntityDeclHandler(parser, declareEntity)
        XML_SetAttlistDeclHandler(parser, declareAttribute)
        XML_SetSkippedEntityHandler(parser, skipEntity)
        XML_SetUnknownEncodingHandler(parser, refuseEncoding, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        XML_ParserFree(parser)
    }

    private static let noMemory = XMLError(.outOfMemory, "not enough memory to read the XML", line: 1, column: 1)

    /// The largest piece that the parser gets at once, because expat counts in `int`.
    ///
    /// Most documents are one piece: then expat does not copy the input, and scans no token twice.
    private static let pieceBytes = 1 << 30

    /// Parses a document.
    func parse(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest.dropFirst(Self.pieceBytes)
            let status = piece.withUnsafeBytes { piece in
                XML_Parse(
                    parser, piece.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(piece.count),
                    rest.isEmpty ? 1 : 0)
            }
            guard status == XML_STATUS_OK else { throw error() }
        } while !rest.isEmpty
        guard let root = builder.root else { throw error() }
        return root
    }

    /// Stops the parser from within a callback if the builder has found a fault.
    func stopIfFailed() {
        guard builder.failure != nil, failurePlace == nil else { return }
        failurePlace = place
        XML_StopParser(parser, XML_Bool(0))
    }

    /// Starts to inspect the markup of each start tag, see ``XMLTreeBuilder/scanMarkup(_:)``.
    ///
    /// If expat does not read the whole DTD, it silently drops undeclared entities in attribute values, because the DTD
    /// might declare them (XML 1.0 §4.1). It reports the markup if no handler expands it.
    func watchMarkup() {
        builder.seesDoctype = true
        XML_SetDefaultHandlerExpand(parser, markup)
    }

    /// Makes expat report the markup of the current tag to the default handler, in UTF-8.
    func reportMarkup() {
        builder.beginMarkup()
        XML_DefaultCurrent(parser)
        builder.endMarkup()
    }

    /// Records the name of an encoding that expat does not support.
    func refuse(encoding: String) {
        unknownEncoding = encoding
    }

    /// The current location of the parser, counted from 1; expat counts columns from 0.
    private var place: (line: Int, column: Int) {
        (Int(clamping: XML_GetCurrentLineNumber(parser)), Int(clamping: XML_GetCurrentColumnNumber(parser)) + 1)
    }

    private func error() -> XMLError {
        let (line, column) = failurePlace ?? place
        if let failure = builder.failure {
            return XMLError(failure.reason, failure.message, line: line, column: column)
        }
        let code = XML_GetErrorCode(parser)
        guard code != XML_ERROR_NO_MEMORY else { return Self.noMemory }
        let message = XML_ErrorString(code).map { String(cString: $0) } ?? "invalid XML"
        if code == XML_ERROR_UNKNOWN_ENCODING, let unknownEncoding {
            return XMLError(.unknownEncoding(unknownEncoding), message, line: line, column: column)
        }
        return XMLError(.malformed, message, line: line, column: column)
    }
}
