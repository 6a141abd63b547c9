import ErrandText

/// A value of a JSON text, with its location.
public struct JSONValue: Sendable, Hashable {
    /// The kind of value, with its content.
    public var kind: Kind
    /// The bytes in the text from which the value was parsed.
    public var range: Range<Int>

    /// The kinds of values.
    public enum Kind: Sendable, Hashable {
        /// The literal `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number, with its original text.
        case number(JSONNumber)
        /// A string, with escapes resolved.
        case string(String)
        /// The items in order.
        case array([JSONValue])
        /// The members in order.
        case object(JSONObject)
    }

    /// Creates a value.
    public init(_ kind: Kind, range: Range<Int> = 0..<0) {
        self.kind = kind
        self.range = range
    }

    /// A Boolean value that indicates whether the value is `null`.
    public var isNull: Bool {
        if case .null = kind { true } else { false }
    }

    /// The text of a string, otherwise `nil`.
    public var string: String? {
        if case .string(let text) = kind { text } else { nil }
    }

    /// A number, otherwise `nil`.
    public var number: JSONNumber? {
        if case .number(let number) = kind { number } else { nil }
    }

    /// The members of an object, otherwise `nil`.
    public var object: JSONObject? {
        if case .object(let object) = kind { object } else { nil }
    }

    /// The items of an array, otherwise `nil`.
    public var array: [JSONValue]? {
        if case .array(let items) = kind { items } else { nil }
    }

    /// The kind in words for error messages: `a string`, but `true` and `null` as they are.
    public var kindDescription: String {
        switch kind {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// An object: its members in their order, repeated names included.
public struct JSONObject: Sendable, Hashable {
    /// The members.
    public var members: [JSONMember]

    /// Creates an object.
    public init(_ members: [JSONMember] = []) {
        self.members = members
    }

    /// Returns the value of the first member with this name.
    ///
    /// Names are compared code point by code point (RFC 8259 §8.3): unlike with `String`'s `==`, the composed and the
    /// decomposed form of `é` are different names.
    public subscript(name: String) -> JSONValue? {
        let name = ExactText(name)
        return members.first { ExactText($0.key) == name }?.value
    }

    /// The members whose name occurs before, compared as in ``subscript(_:)``.
    public var repeatedMembers: [JSONMember] {
        guard members.count > 1, !isSmallWithoutRepetition else { return [] }
        var seen: Set<ExactText> = Set(minimumCapacity: members.count)
        return members.filter { !seen.insert(ExactText($0.key)).inserted }
    }

    /// True if the members are so few that comparing each with each costs less than a table, and no name is repeated.
    private var isSmallWithoutRepetition: Bool {
        guard members.count <= Self.smallCount else { return false }
        for index in members.indices {
            let name = ExactText(members[index].key)
            for other in 0..<index where ExactText(members[other].key) == name { return false }
        }
        return true
    }

    /// The greatest number of members of a small object.
    private static let smallCount = 16
}

/// A name and its value.
public struct JSONMember: Sendable, Hashable {
    /// The name, with escapes resolved.
    public var key: String
    /// The bytes of the name in the text, quotes included.
    public var keyRange: Range<Int>
    /// The value.
    public var value: JSONValue

    /// Creates a member.
    public init(_ key: String, keyRange: Range<Int> = 0..<0, _ value: JSONValue) {
        self.key = key
        self.keyRange = keyRange
        self.value = value
    }
}

/// A number in its original form: JSON does not limit its size or precision, and neither does this type.
public struct JSONNumber: Sendable, Hashable {
    /// The text: `1.10`, `12345678901234567890`, `1e400`.
    public var lexeme: String

    /// Creates a number from its text, which must be a JSON number.
    public init(lexeme: String) {
        self.lexeme = lexeme
    }

    /// The number as an integer, or `nil` if it is not written as one or is out of range: `1.0` and `1e3` are not
    /// integers.
    public var int: Int? { Int(lexeme) }

    /// The nearest `Double`: infinite out of range, NaN if the lexeme is not a number.
    public var double: Double { Double(lexeme) ?? .nan }
}
