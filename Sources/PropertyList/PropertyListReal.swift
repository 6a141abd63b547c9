public import JSON

/// A floating-point number of a property list.
public struct PropertyListReal: Sendable, Hashable {
    /// The nearest binary fraction; infinite and no number (NaN) occur.
    public let value: Double
    /// The number as an XML property list writes it, where JSON would write it so too: `1.10`, `1e400`.
    public let number: JSONNumber?

    /// Creates a number of a value.
    public init(_ value: Double) {
        self.value = value
        number = nil
    }

    /// Reads a number: decimal as in JSON, with a `+` too, or what C's `strtod` takes besides, such as `.5`, `nan`
    /// and `-infinity`.
    ///
    /// `nil` when it is none.
    public init?(_ text: some StringProtocol) {
        // JSON has no `+`, but what follows one may not have a sign of its own.
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
        // White space around a number, which JSON would allow, cannot be part of a lexeme.
        guard !text.utf8.contains(where: { $0 <= 0x20 }),
            case .number(let number) = try? JSONDocument.parse(Array(text.utf8)).root.kind
        else { return nil }
        return number
    }
}
