import ErrandHTTPGrammar

extension FuzzTarget {
    /// Fuzzes media types with their parameters, and media ranges.
    static let mediaType = FuzzTarget("media-type", maxBytes: 512) { input in
        let text = InputText.fieldText(input)
        if let range = MediaRange(text) {
            try expect(MediaRange(range.description) == range, "a range round-trips")
        }
        guard let type = MediaType(text) else {
            try expect(MediaRange(text) == nil, "a range is written as a type is")
            return
        }
        try expect(MediaRange(type: type.type, subtype: type.subtype).contains(type), "a type is in its own range")
        try expect(type.type == type.type.lowercased(), "it is in lower case")
        var written = type.description
        for parameter in type.parameters {
            try expect(Token.isToken(parameter.name.utf8), "a parameter has a name")
            written += "; \(parameter.name)=\(ParameterValue.quoted(parameter.value))"
        }
        try expect(MediaType(written) == type, "a type round-trips: \(written.debugDescription)")
    }
}
