/// All the problems that a session finds in a ``TaskRequest``.
public struct RequestProblems: Error, Sendable, Hashable {
    /// The problems; never empty.
    public let problems: [RequestProblem]

    /// Creates the value from a first problem and others.
    public init(_ first: RequestProblem, _ others: some Sequence<RequestProblem> = []) {
        problems = [first] + others
        let told = problems.prefix(Self.detailLimit).map(\.detail)
        let message = (told + (problems.count > told.count ? ["…"] : [])).joined(separator: "; ")
        error = SessionError(first.code, message, cause: problems.compactMap(\.cause).first)
    }

    /// The maximum number of details in ``error``; a request can have thousands of problems.
    private static let detailLimit = 20

    /// The problems as the error of a task: the code of the first problem, and the details of the first ones.
    public let error: SessionError
}

extension RequestProblems: CustomStringConvertible {
    /// Each problem with its location.
    public var description: String {
        problems.map(\.description).joined(separator: "; ")
    }
}

/// One problem of a ``TaskRequest``.
public struct RequestProblem: Sendable, Hashable {
    /// The location: the names of members from the outermost inwards, such as `["headers", "Host"]`.
    public var pointer: [String]
    /// A sentence for people, without a full stop.
    public var detail: String
    /// The error code if a stored task with this problem is run.
    public var code: SessionErrorCode
    private var details = ErrorDetails()

    /// The error of the program that caused this problem; problems are compared without it.
    public var cause: (any Error)? { details.cause }

    /// Creates a problem.
    public init(
        at pointer: [String], detail: String, code: SessionErrorCode = .unserializableParameters,
        cause: (any Error)? = nil
    ) {
        self.pointer = pointer
        self.detail = detail
        self.code = code
        if let cause { details = ErrorDetails(cause: cause) }
    }
}

extension RequestProblem: CustomStringConvertible {
    /// The location and the detail.
    public var description: String { "\(pointer.joined(separator: ".")): \(detail)" }
}
