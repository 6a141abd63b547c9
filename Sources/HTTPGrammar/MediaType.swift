/// A media type as a `Content-Type` field has it (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// The type in lower case, such as `application`.
    public let type: String
    /// The subtype in lower case, such as `problem+json`.
    public let subtype: String
    /// The parameters in their order, names in lower case, values without quotes.
    ///
    /// Those that are not well-formed, and what follows one, are left out.
    public let parameters: [Parameter]

    /// A parameter of a media type.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public var name: String
        /// The value as it is meant, without quotes and escapes.
        public var value: String

        /// Creates a parameter from its parts.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Reads the value of a header field; `nil` when it does not begin with two tokens and a slash between them.
    public init?(_ value: String) {
        let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
        let essence = value[..<end].trimmingOptionalWhitespace()
        guard let slash = essence.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let type = essence[..<slash]
        let subtype = essence[essence.utf8.index(after: slash)...]
        guard Token.isToken(type.utf8), Token.isToken(subtype.utf8) else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        parameters = Self.parameters(value[end...])
    }

    /// The value of the first parameter with this name in lower case.
    public subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    private static func parameters(_ text: Substring) -> [Parameter] {
        var rest = text
        var parameters: [Parameter] = []
        while rest.utf8.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().trimmingOptionalWhitespace()
            let name = Substring(rest.utf8.prefix(while: Token.isTokenCharacter))
            // An empty parameter between two semicolons is allowed (RFC 9110 §5.6.6).
            if name.isEmpty, rest.isEmpty || rest.utf8.first == UInt8(ascii: ";") { continue }
            rest = rest[name.endIndex...]
            guard !name.isEmpty, rest.utf8.first == UInt8(ascii: "=") else { break }
            rest = rest.dropFirst()
            guard let value = ParameterValue.read(&rest) else { break }
            parameters.append(Parameter(name: name.lowercased(), value: value))
            rest = rest.trimmingOptionalWhitespace()
        }
        return parameters
    }
}

extension MediaType: CustomStringConvertible {
    /// The media type as a header field writes it, without parameters.
    public var description: String { "\(type)/\(subtype)" }
}
