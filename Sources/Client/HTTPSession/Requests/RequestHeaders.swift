public import ErrandSessionCore
public import HTTPTypes

/// The header fields of one request, on top of the session's.
///
/// ```swift
/// let page = try await api.get("users", headers: ["Accept-Language": "en", "X-Trace": trace, "X-Default": nil])
/// ```
///
/// A field replaces the session's field of the same name; `nil` removes that one. ``RequestHeaderRules`` lists the
/// names and values that are rejected. A redirect to another origin drops fields whose names tell that they carry a
/// secret, such as `Authorization` or `X-Api-Key`.
///
/// Fields of the same name are sent as one, with their values in order: joined by `, ` (RFC 9110 §5.3), and those of
/// `Cookie` by `; ` (RFC 9113 §8.2.3). A name that can have only one value, such as `Authorization`, is rejected if it
/// is repeated.
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

    /// The fields as they are sent: those of the same name as one, at the place and with the spelling of the first.
    var joined: [TaskHeader] {
        var result: [TaskHeader] = []
        var places: [HTTPField.Name: Int] = [:]
        for field in fields {
            let name = HTTPField.Name(field.name)
            if let name, let place = places[name], !Self.singletons.contains(name) {
                // Beside a value `nil` says nothing more: the value replaces the session's field too.
                guard let value = field.value else { continue }
                result[place].value = result[place].value.map { $0 + (name == .cookie ? "; " : ", ") + value } ?? value
            } else {
                if let name { places[name] = result.count }
                result.append(field)
            }
        }
        return result
    }

    /// The names that can have only one value, so that two values cannot be joined (RFC 9110 §5.5).
    private static let singletons: Set<HTTPField.Name> = [
        .authorization, .contentLocation, .contentType, .date, .from, .idempotencyKey, .ifModifiedSince, .ifRange,
        .ifUnmodifiedSince, .maxForwards, .range, .referer, .userAgent,
    ]

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
