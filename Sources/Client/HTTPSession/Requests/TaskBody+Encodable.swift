public import ErrandSessionCore
public import FoundationEssentials

extension TaskBody {
    /// Encodes a value as JSON: `application/json`.
    ///
    /// ```swift
    /// try await api.post("users", body: .encoding(NewUser(name: "Ada")), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value to send; it need not be encoded as an object.
    ///   - encoder: The encoder, which determines the format of dates, data and names. Default: `nil`, an encoder with
    ///     sorted names and unescaped slashes.
    /// - Throws: ``SessionErrorCode/unserializableParameters`` if the value cannot be encoded.
    public static func encoding(
        _ value: some Encodable, with encoder: JSONEncoder? = nil
    ) throws(SessionError) -> TaskBody {
        .json(try CodableJSON.encode(value, with: encoder))
    }
}
