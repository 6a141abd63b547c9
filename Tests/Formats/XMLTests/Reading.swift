import ErrandXML

/// Returns the root of a valid document.
func root(_ text: String, _ limits: XMLLimits = XMLLimits()) throws(XMLError) -> XMLElement {
    try XMLDocument.parse(Array(text.utf8), limits: limits).root
}

/// Returns the error of a document, or `nil` if it is accepted.
func refusal(_ bytes: [UInt8], _ limits: XMLLimits = XMLLimits(), encoding: String? = nil) -> XMLError? {
    do throws(XMLError) {
        _ = try XMLDocument.parse(bytes, limits: limits, encoding: encoding)
        return nil
    } catch {
        return error
    }
}

/// Returns the error of a document, or `nil` if it is accepted.
func refusal(_ text: String, _ limits: XMLLimits = XMLLimits()) -> XMLError? {
    refusal(Array(text.utf8), limits)
}
