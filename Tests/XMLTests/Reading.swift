import XML

/// The root of a document that is accepted.
func root(_ text: String, _ limits: XMLLimits = XMLLimits()) throws(XMLError) -> XMLElement {
    try XMLDocument.parse(Array(text.utf8), limits: limits).root
}

/// Why a document is refused; `nil` when it is not.
func refusal(_ bytes: [UInt8], _ limits: XMLLimits = XMLLimits(), encoding: String? = nil) -> XMLError? {
    do throws(XMLError) {
        _ = try XMLDocument.parse(bytes, limits: limits, encoding: encoding)
        return nil
    } catch {
        return error
    }
}

/// Why a document is refused; `nil` when it is not.
func refusal(_ text: String, _ limits: XMLLimits = XMLLimits()) -> XMLError? {
    refusal(Array(text.utf8), limits)
}
