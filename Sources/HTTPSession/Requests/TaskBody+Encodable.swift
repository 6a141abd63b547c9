public import FoundationEssentials
public import SessionCore

extension TaskBody {
    /// A value as JSON: `application/json`.
    ///
    /// ```swift
    /// try await api.post("users", body: .encoding(NewUser(name: "Ada")), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - value: What is sent; any JSON value will do, also one that is no object.
    ///   - encoder: Says how dates, data and names are written. Default: `nil`, one with names in ascending order and
    ///     slashes as they are.
    /// - Throws: ``SessionErrorCode/unserializableParameters`` when the value cannot be encoded.
    public static func encoding(
        _ value: some Encodable, with encoder: JSONEncoder? = nil
    ) throws(SessionError) -> TaskBody {
        .json(try CodableJSON.encode(value, with: encoder))
    }
}
