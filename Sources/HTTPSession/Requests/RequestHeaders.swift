public import HTTPTypes
public import SessionCore

/// The header fields of one request, on top of the session's.
///
/// ```swift
/// let page = try await api.get("users", headers: ["Accept-Language": "en", "X-Trace": trace, "X-Default": nil])
/// ```
///
/// A field takes the place of the session's of that name; one with `nil` takes it away. Which names and values are
/// refused, ``RequestHeaderRules`` says.
public struct RequestHeaders: Sendable, Hashable {
    /// The fields, in the order in which they are sent.
    public var fields: [TaskHeader]

    /// Creates header fields; none by default.
    public init(_ fields: [TaskHeader] = []) {
        self.fields = fields
    }

    /// Creates header fields from those of HTTPTypes.
    public init(_ fields: HTTPFields) {
        self.init(fields.map { TaskHeader($0.name.rawName, $0.value) })
    }

    /// Adds a field at the end.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value, or `nil` to take the session's field away.
    public mutating func append(_ name: String, _ value: String?) {
        fields.append(TaskHeader(name, value))
    }
}

extension RequestHeaders: ExpressibleByDictionaryLiteral {
    /// Creates header fields from a literal, in its order, repeated names included.
    public init(dictionaryLiteral elements: (String, String?)...) {
        self.init(elements.map { TaskHeader($0, $1) })
    }
}
