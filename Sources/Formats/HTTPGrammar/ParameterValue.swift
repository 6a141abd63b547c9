/// The value of a parameter: a token or a quoted string (RFC 9110 §5.6.6).
package enum ParameterValue {
    /// Parses a value at the start of `text` and removes it; returns `nil` if there is none.
    package static func read(_ text: inout Substring) -> String? {
        if text.utf8.first == UInt8(ascii: "\"") { return readQuotedString(&text) }
        let token = Substring(text.utf8.prefix(while: Token.isTokenCharacter))
        guard !token.isEmpty else { return nil }
        text = text[token.endIndex...]
        return String(token)
    }

    /// Returns the text as a quoted string (RFC 9110 §5.6.4).
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static func readQuotedString(_ text: inout Substring) -> String? {
        var value: [UInt8] = []
        var isEscaped = false
        var rest = text.utf8.dropFirst()
        while let byte = rest.popFirst() {
            if isEscaped {
                value.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                text = Substring(rest)
                return String(decoding: value, as: UTF8.self)
            } else {
                value.append(byte)
            }
        }
        return nil
    }
}
