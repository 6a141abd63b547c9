public import ErrandJSON

/// A floating-point number of a property list.
public struct PropertyListReal: Sendable, Hashable {
    /// The nearest `Double`; infinity and NaN are possible.
    public let value: Double
    /// The original number of an XML property list if it is also a JSON number: `1.10`, `1e400`.
    public let number: JSONNumber?

    /// Creates a number from a value.
    public init(_ value: Double) {
        self.value = value
        number = nil
    }

    /// Parses a number; returns `nil` if the text is none.
    ///
    /// It accepts decimal numbers as in JSON, also with a `+`, and the other forms of C's `strtod`, such as `.5`, `nan`
    /// and `-infinity`.
    public init?(_ text: some StringProtocol) {
        // JSON has no `+`; a second sign must not follow it.
        let lexeme = text.hasPrefix("+") && !text.hasPrefix("+-") ? text.dropFirst() : text[...]
        if let number = Self.number(lexeme) {
            self.number = number
            value = number.double
        } else if let value = Double(text) {
            number = nil
            self.value = value
        } else {
            return nil
        }
    }

    private static func number(_ text: some StringProtocol) -> JSONNumber? {
        // A lexeme cannot include surrounding whitespace, which JSON would permit.
        guard !text.utf8.contains(where: { $0 <= 0x20 }),
            case .number(let number) = try? JSONDocument.parse(Array(text.utf8)).root.kind
        else { return nil }
        return number
    }
}
