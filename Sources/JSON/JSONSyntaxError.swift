/// Why a text is not JSON (RFC 8259), and where.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public var reason: Reason
    /// The byte at which it was noticed, from 0.
    public var offset: Int
    /// The same place for people.
    public var position: JSONPosition

    init(_ reason: Reason, at offset: Int, in bytes: [UInt8]) {
        self.reason = reason
        self.offset = offset
        position = JSONPosition(offset: offset, in: bytes)
    }

    /// The reason and the place, and nothing of the text: safe to show and to log.
    public var description: String { "\(reason.message) at \(position)" }

    /// What can be wrong.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// There is no value at all.
        case empty
        /// The text ends in the middle.
        case unexpectedEnd
        /// A value should begin here.
        case expectedValue
        /// An object's member should begin here.
        case expectedName
        /// A colon should follow the name.
        case expectedColon
        /// An object goes on with a comma or ends.
        case expectedCommaOrBrace
        /// An array goes on with a comma or ends.
        case expectedCommaOrBracket
        /// A comma has nothing behind it.
        case trailingComma
        /// Something follows the value.
        case trailingContent
        /// A number has a form that JSON does not know.
        case badNumber
        /// An escape that JSON does not know.
        case badEscape
        /// Half of a surrogate pair: no character.
        case loneSurrogate
        /// A control character that should be escaped.
        case controlCharacter
        /// The bytes are not UTF-8.
        case badUTF8
        /// The nesting is deeper than allowed.
        case tooDeep
        /// An array or object is needed at the top.
        case fragment

        /// The reason as a sentence without a full stop.
        public var message: String {
            switch self {
            case .empty: "expected a JSON value, found nothing"
            case .unexpectedEnd: "the text ends in the middle of a value"
            case .expectedValue: "expected a value"
            case .expectedName: "expected a member name in quotes"
            case .expectedColon: "expected ':' after the member name"
            case .expectedCommaOrBrace: "expected ',' or '}'"
            case .expectedCommaOrBracket: "expected ',' or ']'"
            case .trailingComma: "a comma must be followed by another item"
            case .trailingContent: "expected nothing after the value"
            case .badNumber: "malformed number"
            case .badEscape: "unknown escape in a string"
            case .loneSurrogate: "half of a surrogate pair in a string"
            case .controlCharacter: "unescaped control character in a string"
            case .badUTF8: "invalid UTF-8"
            case .tooDeep: "nested too deep"
            case .fragment: "expected an array or an object at the top"
            }
        }
    }
}
