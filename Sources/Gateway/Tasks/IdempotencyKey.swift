import JSON

/// A key by which a client's request to create a task is known when it comes again.
///
/// The header `Idempotency-Key` has it as a string of structured fields (draft-ietf-httpapi-idempotency-key-header §2.1,
/// RFC 9651 §3.3.3) or bare; an item of a batch as a JSON string.
struct IdempotencyKey: Sendable, Hashable {
    /// The key: 1 to ``lengthLimit`` printable characters of ASCII.
    let text: String

    /// The longest key, in characters.
    static let lengthLimit = 255
    /// What a key is, in words.
    static let expectation = "1 to \(lengthLimit) printable ASCII characters"

    /// Creates a key; `nil` when the text is none.
    init?(_ text: String) {
        guard (1...Self.lengthLimit).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Reads the value of the header; `nil` when it is malformed.
    init?(field: String) {
        guard field.first == "\"" else {
            // Bare: what would have to be quoted, or is a list of two, is none.
            guard !field.contains(where: { $0 == " " || $0 == "\"" }) else { return nil }
            self.init(field)
            return
        }
        guard let text = Self.unquote(field.utf8.dropFirst()) else { return nil }
        self.init(text)
    }

    /// Takes the key out of an item of a batch.
    static func read(_ task: inout JSONObjectReader) -> IdempotencyKey? {
        task.parsed(TaskClaim.member, expecting: "a string of \(expectation)") { value in
            value.string.flatMap { IdempotencyKey($0) }
        }
    }

    /// The text of a string without its opening quote; `nil` when it does not end with its closing one.
    private static func unquote(_ rest: Substring.UTF8View) -> String? {
        var rest = rest
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return rest.isEmpty ? String(decoding: text, as: UTF8.self) : nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                text.append(escaped)
            default:
                text.append(byte)
            }
        }
        return nil
    }
}
