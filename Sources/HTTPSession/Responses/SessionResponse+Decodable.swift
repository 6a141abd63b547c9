public import FoundationEssentials
public import SessionCore
import Transfer

extension SessionResponse {
    /// What the content says, as a value of a type of one's own.
    ///
    /// ```swift
    /// let outcome = await task.outcome
    /// if outcome.error != nil, let problem = try outcome.response?.decoded(as: Problem.self) { print(problem.title) }
    /// ```
    ///
    /// What is decoded is the JSON that the response serializer has made of the content, so XML and property lists can
    /// be, too; content that the serializer leaves alone (``ResponseSerializerKind/raw``) must be JSON itself. No
    /// content at all is `nil` when the type is an optional one.
    ///
    /// - Parameters:
    ///   - type: What the content becomes.
    ///   - decoder: Says how dates, data and names are read. Default: a new one, without any strategy.
    /// - Throws: ``SessionErrorCode/unparsableBody`` when the content is another value, with the place in the message;
    ///   when there is none; and when it is not in memory.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, with decoder: JSONDecoder = JSONDecoder()
    ) throws(SessionError) -> Value {
        if let text = try text { return try CodableJSON.decode(type, from: text, with: decoder) }
        // `Optional<Wrapped>.none`, written so that it works for a type that is only known to be some `Value`.
        if let optional = type as? any ExpressibleByNilLiteral.Type, let none = optional.init(nilLiteral: ()) as? Value
        {
            return none
        }
        throw SessionError(.unparsableBody, "There is no content to make a \(type) of")
    }

    /// What there is to decode; `nil` when there is no content.
    private var text: ArraySlice<UInt8>? {
        get throws(SessionError) {
            if let json { return json }
            guard let body, body.size > 0 else { return nil }
            guard case .bytes(let bytes) = body.content else {
                throw SessionError(.unparsableBody, "The content was not kept in memory: its sink has it")
            }
            return bytes[...]
        }
    }
}
