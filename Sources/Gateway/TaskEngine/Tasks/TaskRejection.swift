package import ErrandJSON

/// The reason why a client's task is refused.
package enum TaskRejection: Error, Sendable {
    /// The document is not JSON.
    case malformed(JSONSyntaxError)
    /// Arrays and objects of the document nest deeper than this limit, `server.max_depth`.
    case tooDeep(JSONPosition, limit: Int)
    /// The document has errors; all of them.
    case invalid([JSONProblem])
    /// The client must not use the session that it names; `nil` for the default session.
    case forbidden(String?)
}

extension TaskRejection {
    /// Creates the rejection of a document that cannot be parsed.
    ///
    /// - Parameter maxDepth: `server.max_depth`; `nil` for a document that it does not limit.
    package init(_ error: JSONSyntaxError, maxDepth: Int?) {
        if error.reason == .tooDeep, let maxDepth {
            self = .tooDeep(error.position, limit: maxDepth)
        } else {
            self = .malformed(error)
        }
    }

    /// The reason of the rejection in one line.
    package var reason: String {
        switch self {
        case .malformed(let error): error.description
        case .tooDeep(let position, let limit):
            "expected at most \(limit) levels of arrays and objects (server.max_depth), found more at \(position)"
        case .invalid(let problems):
            problems.map { "\($0.pointer): \($0.detail)" }.joined(separator: "; ")
        case .forbidden: "no such session"
        }
    }
}

extension JSONDocument {
    /// Parses the document of a client.
    ///
    /// - Parameter maxDepth: `server.max_depth`, which limits every document of a client; it has no default value, so
    ///   that no caller forgets it.
    package static func received(_ bytes: [UInt8], maxDepth: Int) throws(TaskRejection) -> JSONDocument {
        do {
            return try parse(bytes, limits: limits(maxDepth))
        } catch {
            throw TaskRejection(error, maxDepth: maxDepth)
        }
    }

    /// Parses the document of a client that is a task, or has one, as ``parse(task:at:limits:)`` does.
    ///
    /// - Parameter maxDepth: `server.max_depth`; `nil` for a task that is stored already, which it does not limit.
    static func received(
        task bytes: [UInt8], at place: [String] = [], maxDepth: Int?
    ) throws(TaskRejection) -> JSONDocument {
        do {
            return try parse(task: bytes, at: place, limits: limits(maxDepth))
        } catch {
            throw TaskRejection(error, maxDepth: maxDepth)
        }
    }

    private static func limits(_ maxDepth: Int?) -> JSONLimits {
        maxDepth.map { JSONLimits(maxDepth: $0) } ?? JSONLimits()
    }

    /// Returns the object that the document must be.
    ///
    /// - Throws: An error if it is another value, or a member is given more than once.
    func checkedObject() throws(TaskRejection) -> JSONObject {
        let problems = JSONProblems()
        // The reader reports each fault.
        guard JSONObjectReader(root, reporting: problems) != nil, problems.problems.isEmpty, let object = root.object
        else { throw .invalid(problems.problems) }
        return object
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
