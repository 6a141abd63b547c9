extension MultipartPart {
    /// Parameters as fields of a form, one for each pair; a null without a value becomes an empty field.
    ///
    /// - Throws: When a name cannot be the name of a part.
    package static func parts(of parameters: ParameterPairs) throws(RequestSerializationError) -> [MultipartPart] {
        var parts: [MultipartPart] = []
        for pair in parameters.pairs {
            parts.append(try MultipartPart(name: pair.name, content: .bytes(Array(pair.value.fieldText.utf8))))
        }
        return parts
    }
}

extension ParameterPair.Value {
    /// The value as it stands in a field, where nothing is escaped.
    fileprivate var fieldText: String {
        switch self {
        case .nothing: ""
        case .text(let text): text
        case .list(let texts): texts.joined(separator: ",")
        }
    }
}
