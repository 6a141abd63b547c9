/// A fault of a document that is valid JSON but does not meet the expectations.
public struct JSONProblem: Sendable, Hashable {
    /// The location.
    public var pointer: JSONPointer
    /// The explanation for people: a sentence without a full stop.
    public var detail: String

    /// Creates a problem.
    public init(_ pointer: JSONPointer, _ detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}

/// A list of the faults of one document, so that its author sees all of them at once.
///
/// Not thread-safe. The list is bounded: a document that consists only of faults costs neither the memory nor the time
/// to describe them all.
public final class JSONProblems {
    /// The faults in the order in which they were found, at most ``limit``.
    public private(set) var problems: [JSONProblem] = []
    /// The most faults that are kept; later ones are dropped.
    public let limit: Int

    /// Creates an empty list.
    public init(limit: Int = 100) {
        self.limit = limit
    }

    /// A Boolean value that indicates whether further faults are dropped.
    public var isFull: Bool { problems.count >= limit }

    /// Adds a fault.
    ///
    /// The arguments are not evaluated if the fault would be dropped: a document can have millions of faults.
    public func report(_ pointer: @autoclosure () -> JSONPointer, _ detail: @autoclosure () -> String) {
        guard !isFull else { return }
        problems.append(JSONProblem(pointer(), detail()))
    }
}
