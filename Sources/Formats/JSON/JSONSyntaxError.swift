/// A syntax error of JSON text (RFC 8259), with its location.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    public var reason: Reason
    /// The byte at which the fault was detected, from 0.
    public var offset: Int
    /// The same location for people.
    public var position: JSONPosition

    init(_ reason: Reason, at offset: Int, in bytes: [UInt8]) {
        self.reason = reason
        self.offset = offset
        position = JSONPosition(offset: offset, in: bytes)
    }

    /// The reason and the location, without any of the text: safe to show and to log.
    public var description: String { "\(reason.message) at \(position)" }

    /// The kinds of faults.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The text contains no value.
        case empty
        /// The text ends early.
        case unexpectedEnd
        /// A value is expected.
        case expectedValue
        /// The name of a member is expected.
        case expectedName
        /// A colon is expected after the name.
        case expectedColon
        /// A comma or the end of the object is expected.
        case expectedCommaOrBrace
        /// A comma or the end of the array is expected.
        case expectedCommaOrBracket
        /// No item follows a comma.
        case trailingComma
        /// Text follows the value.
        case trailingContent
        /// The form of a number is not allowed in JSON.
        case badNumber
        /// The escape does not exist in JSON.
        case badEscape
        /// An unpaired surrogate, which is not a character.
        case loneSurrogate
        /// A control character is not escaped.
        case controlCharacter
        /// The bytes are not UTF-8.
        case badUTF8
        /// The nesting is deeper than allowed.
        case tooDeep
        /// The top-level value is not an array or an object.
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
            case .trailingComma: "expected another item after the comma"
            case .trailingContent: "expected nothing after the value"
            case .badNumber: "malformed number"
            case .badEscape: "unknown escape in a string"
            case .loneSurrogate: "unpaired surrogate in a string"
            case .controlCharacter: "unescaped control character in a string"
            case .badUTF8: "invalid UTF-8"
            case .tooDeep: "nested too deep"
            case .fragment: "expected an array or an object at the top"
            }
        }
    }
}
