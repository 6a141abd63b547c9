/// Everything that is wrong with a ``TaskRequest`` in the eyes of a session, at once.
public struct RequestProblems: Error, Sendable, Hashable {
    /// The problems, never none.
    public let problems: [RequestProblem]

    /// Creates them from a first one and those that follow.
    public init(_ first: RequestProblem, _ others: some Sequence<RequestProblem> = []) {
        problems = [first] + others
        error = SessionError(first.code, problems.map(\.detail).joined(separator: "; "))
    }

    /// The same as the error of a task that cannot be requested any more: the code of the first problem, the details
    /// of all.
    public let error: SessionError
}

extension RequestProblems: CustomStringConvertible {
    /// Each problem with its place.
    public var description: String {
        problems.map(\.description).joined(separator: "; ")
    }
}

/// One thing that is wrong with a ``TaskRequest``.
public struct RequestProblem: Sendable, Hashable {
    /// Where: the names of members from the outermost inwards, as `["headers", "Host"]`.
    public var pointer: [String]
    /// What, for people: one sentence without a full stop.
    public var detail: String
    /// What kind of failure it is when the task must be run all the same.
    public var code: SessionErrorCode

    /// Creates a problem.
    public init(_ pointer: [String], _ detail: String, _ code: SessionErrorCode = .unserializableParameters) {
        self.pointer = pointer
        self.detail = detail
        self.code = code
    }
}

extension RequestProblem: CustomStringConvertible {
    /// The place and the detail.
    public var description: String { "\(pointer.joined(separator: ".")): \(detail)" }
}
