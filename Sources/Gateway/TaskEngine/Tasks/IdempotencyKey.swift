import ErrandCryptography
import ErrandJSON
import ErrandTaskStore
import ErrandText

/// A key that identifies a client's repeated request to create a task.
///
/// The header `Idempotency-Key` contains it as a string of structured fields (draft-ietf-httpapi-idempotency-key-header
/// §2.1, RFC 9651 §3.3.3) or bare; an item of a batch as a JSON string.
package struct IdempotencyKey: Sendable, Hashable {
    /// The key: 1 to ``lengthLimit`` printable characters of ASCII.
    let text: String

    /// The longest key, in characters.
    static let lengthLimit = 255
    /// The description of a valid key for error messages.
    package static let expectation = "1 to \(lengthLimit) printable ASCII characters"

    /// Creates a key; `nil` if the text is not a valid key.
    package init?(_ text: String) {
        guard (1...Self.lengthLimit).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Parses the value of the header; `nil` if it is malformed.
    package init?(field: String) {
        guard field.first == "\"" else {
            // A bare value must need no quotes and not be a list.
            guard !field.contains(where: { $0 == " " || $0 == "\"" }) else { return nil }
            self.init(field)
            return
        }
        guard let text = Self.unquote(field.utf8.dropFirst()) else { return nil }
        self.init(text)
    }

    /// Returns the key for the effect of a request with this key on one of its tasks.
    func derived(for task: TaskID) -> IdempotencyKey? {
        IdempotencyKey(Hexadecimal.encode(SHA256.hash(Array("\(text)\n\(task)".utf8))))
    }

    /// Reads the key from an item of a batch.
    static func read(_ task: inout JSONObjectReader) -> IdempotencyKey? {
        task.parsed(TaskClaim.member, expecting: "a string of \(expectation)") { value in
            value.string.flatMap { IdempotencyKey($0) }
        }
    }

    /// Returns the text of a string after its opening quote; `nil` if it does not end with the closing quote.
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
