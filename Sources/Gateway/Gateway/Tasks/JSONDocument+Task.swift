import ErrandJSON

extension JSONDocument {
    /// Reads a text that is a task, or has one.
    ///
    /// Of `body.json` only the bytes are used, which go upstream as the client wrote them: whatever RFC 8259 allows is
    /// taken there, half of a surrogate pair too. Anywhere else such a half is an error.
    ///
    /// - Parameters:
    ///   - place: The names that lead from the top to the task; empty when it is the text.
    ///   - limits: How deep arrays and objects may nest.
    static func parse(
        task bytes: [UInt8], at place: [String] = [], limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) -> JSONDocument {
        try parse(bytes, limits: limits, verbatim: place + ["body", "json"])
    }
}
