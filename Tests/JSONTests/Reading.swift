import JSON

/// The root of a text that is JSON.
func root(_ text: String, _ limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) -> JSONValue {
    try JSONDocument.parse(Array(text.utf8), limits: limits).root
}

/// Why the parser refuses a text; `nil` when it does not.
func parsingError(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
        _ = try JSONDocument.parse(bytes, limits: limits).root
        return nil
    } catch {
        return error
    }
}

/// Why the validator refuses a text; `nil` when it does not.
func validationError(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
        _ = try JSONValidator.validate(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}
