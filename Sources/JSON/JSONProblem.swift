/// One fault of a document that is JSON, but not what was asked for.
public struct JSONProblem: Sendable, Hashable {
    /// Where.
    public var pointer: JSONPointer
    /// What is wrong, for people: a sentence without a full stop.
    public var detail: String

    /// Creates a problem.
    public init(_ pointer: JSONPointer, _ detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}

/// Gathers the faults of one document, so that its author learns of all of them at once.
///
/// For one thread, not shared. The list is bounded: a document of nothing but faults costs neither the memory nor the time of naming them all.
public final class JSONProblems {
    /// The faults in the order in which they were found, at most ``limit``.
    public private(set) var problems: [JSONProblem] = []
    /// How many faults are kept; later ones are dropped.
    public let limit: Int

    /// Creates an empty list.
    public init(limit: Int = 100) {
        self.limit = limit
    }

    /// Whether further faults are dropped.
    public var isFull: Bool { problems.count >= limit }

    /// Adds a fault.
    public func report(_ pointer: JSONPointer, _ detail: String) {
        guard !isFull else { return }
        problems.append(JSONProblem(pointer, detail))
    }
}
