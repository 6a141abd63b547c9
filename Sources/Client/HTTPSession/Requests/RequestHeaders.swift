public import ErrandSessionCore
public import HTTPTypes

/// The header fields of one request, on top of the session's.
///
/// ```swift
/// let page = try await api.get("users", headers: ["Accept-Language": "en", "X-Trace": trace, "X-Default": nil])
/// ```
///
/// A field replaces the session's field of the same name; `nil` removes that one. ``RequestHeaderRules`` lists the
/// names and values that are rejected.
public struct RequestHeaders: Sendable, Hashable {
    /// The fields, in the order of sending.
    public var fields: [TaskHeader]

    /// Creates header fields; none by default.
    public init(_ fields: [TaskHeader] = []) {
        self.fields = fields
    }

    /// Creates header fields from HTTPTypes.
    public init(_ fields: HTTPFields) {
        self.init(fields.map { TaskHeader($0.name.rawName, $0.value) })
    }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value, or `nil` to remove the session's field.
    public mutating func append(_ name: String, _ value: String?) {
        fields.append(TaskHeader(name, value))
    }
}

extension RequestHeaders: ExpressibleByDictionaryLiteral {
    /// Creates header fields from a literal, in its order, including repeated names.
    public init(dictionaryLiteral elements: (String, String?)...) {
        self.init(elements.map { TaskHeader($0, $1) })
    }
}
