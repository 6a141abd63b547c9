/// The media type of a `Content-Type` field (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// The type in lower case, such as `application`.
    public let type: String
    /// The subtype in lower case, such as `problem+json`.
    public let subtype: String
    /// The parameters in their order, with names in lower case and values without quotes.
    ///
    /// Malformed parameters, and the text after one, are omitted.
    public let parameters: [Parameter]

    /// A parameter of a media type.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public var name: String
        /// The value, without quotes and escapes.
        public var value: String

        /// Creates a parameter from its parts.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Parses a header field value; returns `nil` if it does not begin with two tokens and a slash between them.
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

    /// Parses a `Content-Type` field as received.
    ///
    /// Some servers send the same type several times, which is joined to a list; the type is then that of the list. A
    /// list of different types yields `nil`.
    public init?(field value: String) {
        if let type = Self(value) {
            self = type
            return
        }
        let types = value.split(separator: ",").map { Self(String($0[...].trimmingOptionalWhitespace())) }
        guard let first = types.first, let type = first, types.allSatisfy({ $0 == type }) else { return nil }
        self = type
    }

    /// Returns the value of the first parameter with this name in lower case.
    public subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Reads the parameters at the start of `text`, each after a semicolon.
    static func parameters(_ text: Substring) -> [Parameter] {
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
    /// The media type as in a header field, without parameters.
    public var description: String { "\(type)/\(subtype)" }
}
