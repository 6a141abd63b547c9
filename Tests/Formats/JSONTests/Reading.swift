import ErrandJSON

/// Returns the root of a valid text.
func root(_ text: String, _ limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) -> JSONValue {
    try JSONDocument.parse(Array(text.utf8), limits: limits).root
}

/// Returns the error of the parser, or `nil` if it accepts the text.
func parsingError(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
        _ = try JSONDocument.parse(bytes, limits: limits).root
        return nil
    } catch {
        return error
    }
}

/// Returns the error of the validator, or `nil` if it accepts the text.
func validationError(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
        _ = try JSONValidator.validate(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}
