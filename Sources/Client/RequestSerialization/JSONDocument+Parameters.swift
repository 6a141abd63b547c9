import ErrandJSON

extension JSONDocument {
    /// Parses the parameters of a task.
    static func parseParameters(_ parameters: [UInt8]) throws(RequestSerializationError) -> JSONDocument {
        do throws(JSONSyntaxError) {
            return try parse(parameters)
        } catch {
            throw RequestSerializationError(error)
        }
    }
}

extension RequestSerializationError {
    init(_ error: JSONSyntaxError) {
        self.init(message: "The parameters are not valid JSON: \(error)")
    }
}

extension JSONObject {
    /// The members sorted by the UTF-8 of their names; members of the same name keep their order.
    var membersSortedByName: [JSONMember] {
        guard members.count > 1 else { return members }
        return members.enumerated().sorted { one, other in
            let (name, otherName) = (one.element.key.utf8, other.element.key.utf8)
            return name.elementsEqual(otherName)
                ? one.offset < other.offset : name.lexicographicallyPrecedes(otherName)
        }.map(\.element)
    }
}
