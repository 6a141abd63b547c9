/// One value of a JSON text, and where it stands in it.
public struct JSONValue: Sendable, Hashable {
    /// What it is.
    public var kind: Kind
    /// Its bytes in the text that it was read from.
    public var range: Range<Int>

    /// What a value can be.
    public enum Kind: Sendable, Hashable {
        /// The literal `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number, as it is written.
        case number(JSONNumber)
        /// A string, escapes resolved.
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

    /// Whether it is `null`.
    public var isNull: Bool { kind == .null }

    /// The text, when it is a string.
    public var string: String? {
        if case .string(let text) = kind { text } else { nil }
    }

    /// The members, when it is an object.
    public var object: JSONObject? {
        if case .object(let object) = kind { object } else { nil }
    }

    /// The items, when it is an array.
    public var array: [JSONValue]? {
        if case .array(let items) = kind { items } else { nil }
    }

    /// What it is, in words for error messages: `a string`, but `true` and `null` as they are.
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

/// An object: its members in the order in which they stand, repeated names included.
public struct JSONObject: Sendable, Hashable {
    /// The members.
    public var members: [JSONMember]

    /// Creates an object.
    public init(_ members: [JSONMember] = []) {
        self.members = members
    }

    /// The value of the first member with this name.
    ///
    /// Names are compared code point by code point (RFC 8259 §8.3): `é` in its composed form is another name than in
    /// its decomposed form, unlike with `String`'s `==`.
    public subscript(name: String) -> JSONValue? {
        let name = JSONName(name)
        return members.first { JSONName($0.key) == name }?.value
    }

    /// The members whose name an earlier one has, compared as in ``subscript(_:)``.
    public var repeatedMembers: [JSONMember] {
        guard members.count > 1 else { return [] }
        var seen: Set<JSONName> = []
        return members.filter { !seen.insert(JSONName($0.key)).inserted }
    }
}

/// A name and its value.
public struct JSONMember: Sendable, Hashable {
    /// The name, escapes resolved.
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

/// A number as it is written: JSON sets no limit to its size or precision, and neither does this.
public struct JSONNumber: Sendable, Hashable {
    /// The text: `1.10`, `12345678901234567890`, `1e400`.
    public var lexeme: String

    /// Creates a number from its text, which must be one of JSON.
    public init(lexeme: String) {
        self.lexeme = lexeme
    }

    /// The number as an integer, if it is written as one and fits: `1.0` and `1e3` are not.
    public var int: Int? { Int(lexeme) }

    /// The nearest binary fraction; infinite beyond its range, and no number when the lexeme is none.
    public var double: Double { Double(lexeme) ?? .nan }
}
