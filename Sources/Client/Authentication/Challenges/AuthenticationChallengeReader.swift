import ErrandHTTPGrammar
import ErrandText

/// Reads the challenges of one field, from its start to the first syntax error.
struct AuthenticationChallengeReader {
    private var rest: Substring

    init(_ field: String) {
        rest = Substring(field)
    }

    /// Returns the next challenge; `nil` at the end or at a syntax error.
    mutating func next() -> AuthenticationChallenge? {
        skipSeparators()
        let scheme = takeToken()
        guard !scheme.isEmpty else { return nil }
        let isAlone = !skipWhitespace()
        // Without a following space, a scheme must be at the end of its list element.
        guard !isAlone || isAtEndOfElement else { return nil }
        if let token68 = takeToken68() {
            return AuthenticationChallenge(scheme: scheme.lowercased(), token68: token68)
        }
        return AuthenticationChallenge(scheme: scheme.lowercased(), parameters: takeParameters())
    }

    // MARK: Parameters

    private mutating func takeParameters() -> [AuthenticationChallenge.Parameter] {
        var parameters: [AuthenticationChallenge.Parameter] = []
        while parameters.count < AuthenticationChallenge.maxParameters {
            let before = rest
            skipSeparators()
            let name = takeToken()
            skipWhitespace()
            guard !name.isEmpty, rest.utf8.first == UInt8(ascii: "=") else {
                // This is the scheme of the next challenge, or a syntax error.
                rest = before
                return parameters
            }
            rest = rest.dropFirst()
            skipWhitespace()
            guard let value = takeValue() else {
                rest = ""
                return parameters
            }
            parameters.append(AuthenticationChallenge.Parameter(name: name.lowercased(), value: value))
            skipWhitespace()
            guard isAtEndOfElement else {
                rest = ""
                return parameters
            }
        }
        rest = ""
        return parameters
    }

    /// Reads a quoted string, or everything up to a comma or white space.
    private mutating func takeValue() -> String? {
        if rest.utf8.first == UInt8(ascii: "\"") { return ParameterValue.read(&rest) }
        let value = Substring(rest.utf8.prefix { !" \t,".utf8.contains($0) })
        rest = rest[value.endIndex...]
        return String(value)
    }

    // MARK: Tokens

    /// Reads a `token68` (RFC 9110 §11.2), which must fill its list element; otherwise reads nothing.
    private mutating func takeToken68() -> String? {
        let text = rest.utf8.prefix(while: Self.isToken68Character)
        let padding = rest.utf8[text.endIndex...].prefix { $0 == UInt8(ascii: "=") }
        guard !text.isEmpty else { return nil }
        var behind = self
        behind.rest = rest[padding.endIndex...]
        behind.skipWhitespace()
        guard behind.isAtEndOfElement else { return nil }
        let token68 = String(rest[..<padding.endIndex])
        rest = behind.rest
        return token68
    }

    private mutating func takeToken() -> Substring {
        let token = Substring(rest.utf8.prefix(while: Token.isTokenCharacter))
        rest = rest[token.endIndex...]
        return token
    }

    private var isAtEndOfElement: Bool {
        rest.isEmpty || rest.utf8.first == UInt8(ascii: ",")
    }

    private mutating func skipSeparators() {
        rest = Substring(rest.utf8.drop { " \t,".utf8.contains($0) })
    }

    /// Skips white space; returns whether there was any.
    @discardableResult
    private mutating func skipWhitespace() -> Bool {
        let before = rest.utf8.count
        rest = Substring(rest.utf8.drop(while: \.isASCIIBlank))
        return rest.utf8.count < before
    }

    private static func isToken68Character(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~+/".utf8.contains(byte)
    }
}
