package import ErrandJSON

/// The reason why a client's task is refused.
package enum TaskRejection: Error, Sendable {
    /// The document is not JSON.
    case malformed(JSONSyntaxError)
    /// The document has errors; all of them.
    case invalid([JSONProblem])
    /// The client must not use the session that it names; `nil` for the default session.
    case forbidden(String?)
}

extension JSONDocument {
    /// Parses the document of a client.
    package static func received(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(TaskRejection) -> JSONDocument {
        do {
            return try parse(bytes, limits: limits)
        } catch {
            throw .malformed(error)
        }
    }

    /// Parses the document of a client that is a task, or has one, as ``parse(task:at:limits:)`` does.
    static func received(
        task bytes: [UInt8], at place: [String] = [], limits: JSONLimits = JSONLimits()
    ) throws(TaskRejection) -> JSONDocument {
        do {
            return try parse(task: bytes, at: place, limits: limits)
        } catch {
            throw .malformed(error)
        }
    }

    /// Reads the object that the document must be.
    ///
    /// - Parameters:
    ///   - refused: Known members that are not allowed, with the reason to report.
    ///   - read: Reads the members; those that it does not read are reported as unknown.
    /// - Throws: All errors of the document.
    package func readObject<Value>(
        refusing refused: [String: String] = [:], _ read: (inout JSONObjectReader) -> Value
    ) throws(TaskRejection) -> Value {
        let problems = JSONProblems()
        guard var object = JSONObjectReader(root, reporting: problems) else { throw .invalid(problems.problems) }
        let value = read(&object)
        object.finish(refusing: refused)
        guard problems.problems.isEmpty else { throw .invalid(problems.problems) }
        return value
    }
}
