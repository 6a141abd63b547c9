import CExpat

// What expat calls: each decodes its arguments, makes one call, and stops the parser if that failed. After that expat
// may still make some calls (of the end tag that belongs to an empty-element tag, for one); the builder ignores them.

/// The parser behind expat's user data.
private func withParser(_ data: UnsafeMutableRawPointer?, _ body: (ExpatParser) -> Void) {
    guard let data else { return }
    // The data is the receiver of the `parse` that is running, which keeps it alive.
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
    withParser(data) { $0.builder.fail(.declaredContent, "a declaration of an entity is refused") }
}

/// `XML_AttlistDeclHandler`.
func declareAttribute(
    data: UnsafeMutableRawPointer?, element: UnsafePointer<XML_Char>?, name: UnsafePointer<XML_Char>?,
    type: UnsafePointer<XML_Char>?, defaultValue: UnsafePointer<XML_Char>?, isRequired: Int32
) {
    guard defaultValue != nil else { return }
    withParser(data) { $0.builder.fail(.declaredContent, "a default value of an attribute is refused") }
}

/// `XML_SkippedEntityHandler`: a reference to an entity that could be declared in the part of the DTD not read.
func skipEntity(data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?, isParameterEntity: Int32) {
    withParser(data) { $0.builder.failForUndeclaredEntity() }
}

/// `XML_UnknownEncodingHandler`: there is none that could be described to expat, so the status is an error.
func refuseEncoding(
    data: UnsafeMutableRawPointer?, name: UnsafePointer<XML_Char>?, encoding: UnsafeMutablePointer<XML_Encoding>?
) -> Int32 {
    if let name {
        withParser(data) { $0.refuse(encoding: String(cString: name)) }
    }
    return 0
}
