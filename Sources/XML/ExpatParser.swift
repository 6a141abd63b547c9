import CExpat

/// One run of expat's parser over one document.
///
/// It owns the `XML_Parser`, and is what expat hands to the callbacks: those come only during ``parse(_:)``, whose
/// receiver it is. For one thread, and one document.
final class ExpatParser {
    /// Between a namespace and a local name; no name can hold it, for XML 1.0 (§2.2) has no such character.
    static let separator: CChar = 0x01

    /// The tree so far.
    var builder: XMLTreeBuilder
    private let parser: XML_Parser
    private var unknownEncoding: String?
    /// Where the builder's fault was found: the parser itself goes on to the end of what it had reported.
    private var failurePlace: (line: Int, column: Int)?

    /// Creates a parser.
    ///
    /// - Parameter encoding: What the text is in, whatever its declaration says; `nil` leaves it to the declaration.
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

    private static let noMemory = XMLError(.outOfMemory, "there is no memory to read the XML", line: 1, column: 1)

    /// The largest piece that the parser is given at once: expat counts in `int`.
    ///
    /// Most documents are one piece: what is handed over whole is not copied, and no token is looked at twice.
    private static let pieceBytes = 1 << 30

    /// Reads a document.
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

    /// Ends the run from within a callback when the builder has found a fault.
    func stopIfFailed() {
        guard builder.failure != nil, failurePlace == nil else { return }
        failurePlace = place
        XML_StopParser(parser, XML_Bool(0))
    }

    /// From here on looks at the markup of each start tag, see ``XMLTreeBuilder/scanMarkup(_:)``.
    ///
    /// With a DTD that it does not read whole, expat silently leaves out undeclared entities in attribute values: they
    /// might be declared there (XML 1.0 §4.1). It reports the markup when no handler expands it.
    func watchMarkup() {
        builder.seesDoctype = true
        XML_SetDefaultHandlerExpand(parser, markup)
    }

    /// Has expat report the markup of the tag at hand to the default handler, in UTF-8.
    func reportMarkup() {
        builder.beginMarkup()
        XML_DefaultCurrent(parser)
        builder.endMarkup()
    }

    /// Notes the name of an encoding that expat does not know.
    func refuse(encoding: String) {
        unknownEncoding = encoding
    }

    /// Where the parser is, counted from 1; expat counts columns from 0.
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
        let message = XML_ErrorString(code).map { String(cString: $0) } ?? "the text is not XML"
        if code == XML_ERROR_UNKNOWN_ENCODING, let unknownEncoding {
            return XMLError(.unknownEncoding(unknownEncoding), message, line: line, column: column)
        }
        return XMLError(.malformed, message, line: line, column: column)
    }
}
