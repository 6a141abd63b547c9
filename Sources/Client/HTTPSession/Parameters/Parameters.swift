/// The parameters of a request: names and values, in order.
///
/// ```swift
/// let issues = try await api.get("issues", parameters: ["labels": ["bug", "good first issue"], "page": 2])
/// // GET issues?labels%5B%5D=bug&labels%5B%5D=good%20first%20issue&page=2
/// ```
///
/// The session's request serializer converts them into a query, a form, JSON, a property list or a multipart form
/// (``RequestConfiguration``); ``ParameterEncoding`` documents the rules of the first two. Names may repeat: all their
/// values are sent if the format allows it.
///
/// Variables need an explicit case: `["page": .int(page), "tags": .array(tags.map { .string($0) })]`. Your own
/// `Encodable` types become parameters by ``init(encoding:with:)``.
public struct Parameters: Sendable, Hashable {
    /// A name and its value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: Value

        /// Creates a member.
        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// A JSON value (RFC 8259 §3).
    public enum Value: Sendable, Hashable {
        /// Null, which differs from an absent value: see ``ParameterEncoding/nulls``.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// An integer.
        case int(Int)
        /// A number with a fraction, sent in the shortest form that reads back as the same number: `1.1`, `-0.0`,
        /// `1e+16`.
        ///
        /// Infinities and NaN are rejected, as no format supports them.
        case double(Double)
        /// The text of a JSON number, sent unchanged: `1.10`, `12345678901234567890`.
        ///
        /// Other texts are rejected.
        case number(String)
        /// A string.
        case string(String)
        /// Values in order.
        case array([Value])
        /// Names and values.
        case object(Parameters)
    }

    /// The members, in the order of the JSON object; other formats sort them by name.
    public var members: [Member]

    /// Creates parameters; none by default.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// The value of the first member with this name; `nil` if there is none.
    public subscript(name: String) -> Value? {
        members.first { $0.name == name }?.value
    }

    /// Appends a member, even if one with its name exists.
    public mutating func append(_ name: String, _ value: Value) {
        members.append(Member(name, value))
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a literal, in its order, including repeated names.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { Member($0, $1) })
    }
}
