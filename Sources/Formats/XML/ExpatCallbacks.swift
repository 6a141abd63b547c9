import CErrandExpat

// The callbacks of expat: each decodes its arguments, makes one call, and stops the parser if the call failed.
// Afterwards expat may still make some calls (for example for the end of an empty-element tag); the builder ignores
// them.

/// Calls `body` with the parser in expat's user data.
private func withParser(_ data: UnsafeMutableRawPointer?, _ body: (ExpatParser) -> Void) {
    guard let data else { return }
    // The data is the receiver of the active `parse` call, which keeps it alive.
    let parser = Unmanaged<ExpatParser>.fromOpaque(data).takeUnretainedValue()
    body(parser)
    parser.stopIfFailed()
}

/// `XML_StartElementHandler`.
func startElement(
    data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?,
    attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
) {
    guard let name else { return }
    withParser(data) { parser in
        parser.builder.start(name, attributes: attributes)
        if parser.builder.seesDoctype { parser.reportMarkup() }
    }
}

/// `XML_EndElementHandler`.
func endElement(data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?) {
    withParser(data) { $0.builder.end() }
}

/// `XML_CharacterDataHandler`.
func characterData(data: UnsafeMutableRawPointer?, text: UnsafePointer<XML_Char>?, count: Int32) {
    withParser(data) { $0.builder.append(UnsafeRawBufferPointer(start: text, count: Int(count))) }
}

/// `XML_DefaultHandler`.
func markup(data: UnsafeMutableRawPointer?, text: UnsafePointer<XML_Char>?, count: Int32) {
    withParser(data) { $0.builder.scanMarkup(UnsafeRawBufferPointer(start: text, count: Int(count))) }
}

/// `XML_StartDoctypeDeclHandler`.
func startDoctype(
    data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?, systemID: UnsafePointer<XML_Char>?,
    publicID: UnsafePointer<XML_Char>?, hasInternalSubset: Int32
) {
    withParser(data) { $0.watchMarkup() }
}

/// `XML_EntityDeclHandler`: general and parameter entities, parsed and unparsed.
func declareEntity(
    data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?, isParameterEntity: Int32,
    value: UnsafePointer<XML_Char>?, valueLength: Int32, base: UnsafePointer<XML_Char>?,
    systemID: UnsafePointer<XML_Char>?, publicID: UnsafePointer<XML_Char>?, notation: UnsafePointer<XML_Char>?
) {
    withParser(data) { $0.builder.fail(.declaredContent, "declarations of entities are not allowed") }
}

/// `XML_AttlistDeclHandler`.
func declareAttribute(
    data: UnsafeMutableRawPointer?, element: UnsafePointer<XML_Char>?, name: UnsafePointer<XML_Char>?,
    type: UnsafePointer<XML_Char>?, defaultValue: UnsafePointer<XML_Char>?, isRequired: Int32
) {
    guard defaultValue != nil else { return }
    withParser(data) { $0.builder.fail(.declaredContent, "default values of attributes are not allowed") }
}

/// `XML_SkippedEntityHandler`: a reference to an entity that could be declared in an unread part of the DTD.
func skipEntity(data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?, isParameterEntity: Int32) {
    withParser(data) { $0.builder.failForUndeclaredEntity() }
}

/// `XML_UnknownEncodingHandler`: no encoding is added to expat, so that the status is always an error.
func refuseEncoding(
    data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?, encoding: UnsafeMutablePointer<XML_Encoding>?
) -> Int32 {
    if let name {
        withParser(data) { $0.refuse(encoding: String(cString: name)) }
    }
    return 0
}
