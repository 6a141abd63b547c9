/// The parameters of a request: names and values, in order.
///
/// ```swift
/// let issues = try await api.get("issues", parameters: ["labels": ["bug", "good first issue"], "page": 2])
/// // GET issues?labels%5B%5D=bug&labels%5B%5D=good%20first%20issue&page=2
/// ```
///
/// The session's request serializer makes a query, a form, JSON, a property list or the parts of a form of them
/// (``RequestConfiguration``); ``ParameterEncoding`` has the rules of the first two. Names may repeat: all their values
/// are sent where the format allows that.
///
/// Variables have their case named: `["page": .int(page), "tags": .array(tags.map { .string($0) })]`. A type of one's
/// own that is `Encodable` becomes parameters by ``init(encoding:with:)``.
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

    /// One value: what JSON can say (RFC 8259 §3).
    public enum Value: Sendable, Hashable {
        /// Nothing, which is something else than no value: see ``ParameterEncoding/nulls``.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// An integer.
        case int(Int)
        /// A number with a fraction, sent in the shortest form that gives the same number: `1.1`, `-0.0`, `1e+16`.
        ///
        /// Infinities and NaN are refused, as no format has them.
        case double(Double)
        /// A number as it is written in JSON, to be sent so: `1.10`, `12345678901234567890`.
        ///
        /// Another text is refused.
        case number(String)
        /// A text.
        case string(String)
        /// Values in order.
        case array([Value])
        /// Names and values.
        case object(Parameters)
    }

    /// The members, in the order in which JSON has them; other formats sort them by name.
    public var members: [Member]

    /// Creates parameters; none by default.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// The value of the first member with this name; `nil` when there is none.
    public subscript(name: String) -> Value? {
        members.first { $0.name == name }?.value
    }

    /// Adds a member at the end, also when its name is there already.
    public mutating func append(_ name: String, _ value: Value) {
        members.append(Member(name, value))
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a literal, in its order, repeated names included.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { Member($0, $1) })
    }
}
