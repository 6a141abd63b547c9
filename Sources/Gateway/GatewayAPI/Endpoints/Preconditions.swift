import ErrandHTTPServer
import HTTPTypes

/// The preconditions of a request: `If-Match`, then `If-None-Match` (RFC 9110 §13.2.2).
///
/// | field that fails | GET and HEAD | other methods |
/// | --- | --- | --- |
/// | `If-Match` | 412 | 412 |
/// | `If-None-Match` | 304 | 412 |
struct Preconditions: Sendable, Hashable {
    private let ifMatch: EntityTagCondition?
    private let ifNoneMatch: EntityTagCondition?
    /// True for GET and HEAD.
    private let reads: Bool

    /// The response that preconditions demand.
    enum Verdict: Sendable, Hashable {
        /// The response without preconditions: all of them are met.
        case met
        /// A 304: the client has the current representation.
        case notModified
        /// A 412.
        case failed
    }

    /// Reads the preconditions of a request.
    ///
    /// - Throws: A refusal of a malformed field. A malformed `If-None-Match` of GET and HEAD is ignored: the client
    ///   gets the whole representation.
    init(_ head: RequestHead) throws(RequestRefusal) {
        reads = head.method == .get || head.method == .head
        ifMatch = try EntityTagCondition.read(.ifMatch, of: head)
        ifNoneMatch = try reads ? head.ifNoneMatch : EntityTagCondition.read(.ifNoneMatch, of: head)
    }

    /// The name of the field of the first precondition; `nil` without any.
    var firstField: HTTPField.Name? {
        if ifMatch != nil { return .ifMatch }
        return ifNoneMatch == nil ? nil : .ifNoneMatch
    }

    /// Returns the name of the field whose precondition fails; `nil` if all are met.
    ///
    /// - Parameter tag: The entity tag of the current representation; `nil` if the resource does not exist.
    func failedField(on tag: EntityTag?) -> HTTPField.Name? {
        if let ifMatch, !ifMatch.matchesStrongly(tag) { return .ifMatch }
        if let ifNoneMatch, ifNoneMatch.matchesWeakly(tag) { return .ifNoneMatch }
        return nil
    }

    /// Evaluates the preconditions.
    ///
    /// - Parameter tag: The entity tag of the current representation; `nil` if the resource does not exist.
    func verdict(on tag: EntityTag?) -> Verdict {
        guard let field = failedField(on: tag) else { return .met }
        return reads && field == .ifNoneMatch ? .notModified : .failed
    }

    /// Returns true if the preconditions of a change are met.
    ///
    /// - Parameter tag: The entity tag of the current representation; `nil` if the resource does not exist.
    func areMet(by tag: EntityTag?) -> Bool {
        verdict(on: tag) == .met
    }

    /// True if a representation without an entity tag meets `If-Match`: it has none of the tags that a client may name.
    var acceptsUntagged: Bool {
        ifMatch == nil || ifMatch == .any
    }
}
