import ErrandJSON
public import ErrandSessionCore

extension Parameters {
    /// Returns the parameters as one JSON object in UTF-8, as ``TaskRequest/parameters`` expects it.
    ///
    /// - Throws: ``SessionErrorCode/unserializableParameters`` for an infinity or NaN, a ``Value/number(_:)`` that is
    ///   not a number, and values nested deeper than the limit of JSON documents (512 levels). The message names the
    ///   path of the value.
    public func json() throws(SessionError) -> [UInt8] {
        var writing = Writing()
        try writing.object(self)
        return writing.json.bytes
    }
}

/// A writer of parameters as JSON.
private struct Writing {
    var json = JSONWriter(capacity: 256)
    /// The names and indices of the path to the current value, for messages.
    private var path: [String] = []

    /// The maximum depth that readers of the text accept; the limit also protects the stack.
    private static let maxDepth = JSONLimits().maxDepth

    mutating func object(_ parameters: Parameters) throws(SessionError) {
        try checkDepth()
        json.beginObject()
        for member in parameters.members {
            json.member(member.name)
            try value(member.value, at: member.name)
        }
        json.endObject()
    }

    private mutating func array(_ values: [Parameters.Value]) throws(SessionError) {
        try checkDepth()
        json.beginArray()
        for (index, element) in values.enumerated() { try value(element, at: "\(index)") }
        json.endArray()
    }

    private mutating func value(_ value: Parameters.Value, at name: String) throws(SessionError) {
        path.append(name)
        switch value {
        case .null: json.null()
        case .bool(let bool): json.bool(bool)
        case .int(let int): json.int(int)
        case .double(let double):
            guard double.isFinite else { throw problem("is not a finite number") }
            json.raw(double.description.utf8)
        case .number(let lexeme):
            guard Self.isNumber(lexeme) else { throw problem("is not a valid JSON number") }
            json.raw(lexeme.utf8)
        case .string(let text): json.string(text)
        case .array(let values): try array(values)
        case .object(let parameters): try object(parameters)
        }
        path.removeLast()
    }

    /// Returns true if a text is exactly one JSON number.
    private static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
            return false
        }
        do throws(JSONSyntaxError) {
            return try JSONValidator.validate(Array(text.utf8)).range.count == text.utf8.count
        } catch {
            return false
        }
    }

    private func checkDepth() throws(SessionError) {
        guard path.count < Self.maxDepth else {
            throw SessionError(
                .unserializableParameters, "The parameters are nested deeper than \(Self.maxDepth) levels")
        }
    }

    private func problem(_ detail: String) -> SessionError {
        SessionError(.unserializableParameters, "The parameter \(path.joined(separator: ".")) \(detail)")
    }
}
