/// A set of status codes, as ranges.
public struct StatusSet: Sendable, Hashable {
    /// The ranges, in the order they were given.
    ///
    /// Empty: no status is in the set.
    public var ranges: [ClosedRange<Int>]

    /// Creates a set from ranges, which may overlap.
    public init(_ ranges: [ClosedRange<Int>]) {
        self.ranges = ranges
    }

    /// Successful (2xx) of RFC 9110 §15.3.
    public static let success = StatusSet([200...299])

    /// Whether `status` is in one of the ranges.
    public func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }
}

extension StatusSet: CustomStringConvertible {
    /// The ranges as a configuration writes them: `200-299, 304`.
    public var description: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ", ")
    }
}
