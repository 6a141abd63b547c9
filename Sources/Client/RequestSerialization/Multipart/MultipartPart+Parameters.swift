extension MultipartPart {
    /// Creates a field for each pair of parameters; a null without a value becomes an empty field.
    ///
    /// - Throws: ``RequestSerializationError`` if a name cannot be the name of a part.
    package static func parts(of parameters: ParameterPairs) throws(RequestSerializationError) -> [MultipartPart] {
        var parts: [MultipartPart] = []
        for pair in parameters.pairs {
            do throws(RequestSerializationError) {
                parts.append(try MultipartPart(name: pair.name, content: .bytes(Array(pair.value.fieldText.utf8))))
            } catch {
                // The pointer within a part does not apply to the parameters.
                throw RequestSerializationError(message: error.message)
            }
        }
        return parts
    }
}

extension ParameterPair.Value {
    /// The value in a field, where nothing is escaped.
    fileprivate var fieldText: String {
        switch self {
        case .nothing: ""
        case .text(let text): text
        case .list(let texts): texts.joined(separator: ",")
        }
    }
}
