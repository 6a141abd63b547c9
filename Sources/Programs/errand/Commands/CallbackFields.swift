/// The header fields of a received callback.
struct CallbackFields {
    /// The header fields of Standard Webhooks.
    enum Name: String, CaseIterable {
        case id = "webhook-id"
        case timestamp = "webhook-timestamp"
        case signature = "webhook-signature"
    }

    private var values: [Name: String]

    /// Creates fields; empty ones count as missing.
    init(_ values: [Name: String]) {
        self.values = values
    }

    /// Reads lines of the form `Name: value`; ignores others, such as the request line.
    init(headerText text: String) {
        values = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Name(rawValue: parts[0].lowercased()) else { continue }
            let value = parts[1].drop { $0 == " " || $0 == "\t" }
            values[name] = String(value.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
    }

    /// Returns the value of a field; empty if it is missing.
    subscript(name: Name) -> String { values[name] ?? "" }
}
