import ErrandJSON

extension Parameters.Value {
    /// Creates a value from JSON; numbers keep their spelling.
    init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = .number(number.lexeme)
        case .string(let text): self = .string(text)
        case .array(let values): self = .array(values.map { Self($0) })
        case .object(let object): self = .object(Parameters(object))
        }
    }
}

extension Parameters {
    /// Creates the members of a JSON object, in its order.
    init(_ object: JSONObject) {
        self.init(object.members.map { Member($0.key, Value($0.value)) })
    }
}
