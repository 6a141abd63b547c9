import ErrandHTTPServer
import HTTPTypes

extension EntityTagCondition {
    /// Reads the condition of a request that changes something: `If-Match` or `If-None-Match`; `nil` without one.
    ///
    /// The values of repeated fields are one list (RFC 9110 §5.3).
    static func read(_ name: HTTPField.Name, of head: RequestHead) throws(RequestRefusal) -> EntityTagCondition? {
        guard let list = head.headers[name] else { return nil }
        guard let condition = EntityTagCondition(list) else {
            throw .field(name, "expected an entity tag such as \"r1\", or *")
        }
        return condition
    }
}

extension RequestHead {
    /// The condition of a request that reads, `If-None-Match`; `nil` without one, or if it is malformed.
    var ifNoneMatch: EntityTagCondition? {
        headers[.ifNoneMatch].flatMap { EntityTagCondition($0) }
    }
}
