import ErrandResponseSerialization
public import ErrandSessionCore
import ErrandTransfer
public import FoundationEssentials

extension SessionResponse {
    /// Decodes the content.
    ///
    /// ```swift
    /// let outcome = await task.outcome
    /// if outcome.error != nil, let problem = try outcome.response?.decoded(as: Problem.self) { print(problem.title) }
    /// ```
    ///
    /// The decoder reads the JSON that the response serializer made of the content, so XML and property lists can be
    /// decoded too; content that the serializer leaves unchanged (``ResponseSerializerKind/raw``) must itself be JSON.
    /// Empty content decodes as `nil` if the type is optional, and so does a single space, which the serializer of JSON
    /// reads as no content.
    ///
    /// - Parameters:
    ///   - type: The type of the result.
    ///   - decoder: The decoder, which determines the format of dates, data and names. Default: a `JSONDecoder` with
    ///     its own defaults.
    /// - Throws: ``SessionErrorCode/unparsableBody`` if the content does not decode as the type, with the place in the
    ///   message; if there is none; or if it is not in memory. In the message a key that may be content, such as that
    ///   of a dictionary, is `[…]`. ``SessionError/cause`` is the error of the decoder, or of the type's own
    ///   `init(from:)`.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, with decoder: JSONDecoder = JSONDecoder()
    ) throws(SessionError) -> Value {
        if let text = try jsonText { return try CodableJSON.decode(type, from: text, with: decoder) }
        // `Optional<Wrapped>.none`, in a form that works for a generic `Value`.
        if let optional = type as? any ExpressibleByNilLiteral.Type, let none = optional.init(nilLiteral: ()) as? Value
        {
            return none
        }
        throw SessionError(.unparsableBody, "There is no content to decode as \(type)")
    }

    /// The JSON text to decode; `nil` without content.
    private var jsonText: ArraySlice<UInt8>? {
        get throws(SessionError) {
            if let json { return json }
            guard let body, body.size > 0 else { return nil }
            guard case .bytes(let bytes) = body.content else {
                throw SessionError(.unparsableBody, "The content is not in memory, but where its sink stored it")
            }
            // Other content without an object may still be JSON: that of an unacceptable type is not read.
            return serializer == .json && bytes == [UInt8(ascii: " ")] ? nil : bytes[...]
        }
    }
}
