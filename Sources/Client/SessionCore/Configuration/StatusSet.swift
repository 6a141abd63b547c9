/// A set of status codes, as ranges.
public struct StatusSet: Sendable, Hashable {
    /// The ranges, in the order given.
    ///
    /// If empty, the set contains no status.
    public var ranges: [ClosedRange<Int>]

    /// Creates a set from ranges, which may overlap.
    public init(_ ranges: [ClosedRange<Int>]) {
        self.ranges = ranges
    }

    /// The successful statuses (2xx) of RFC 9110 §15.3.
    public static let success: StatusSet = [200...299]

    /// All statuses, 100 to 999: every response that is received is a success.
    ///
    /// That includes 401: handlers of challenges (``ChallengeHandler``) and retriers such as a ``TokenRefresher`` are
    /// not asked about it. The session's own credentials answer a challenge nevertheless, and redirects are followed as
    /// the policy says.
    public static let any: StatusSet = [100...999]

    /// Returns true if `status` is in one of the ranges.
    public func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }
}

extension StatusSet: ExpressibleByArrayLiteral {
    /// Creates a set from ranges, which may overlap: `[200...299, 304...304]`.
    public init(arrayLiteral ranges: ClosedRange<Int>...) {
        self.init(ranges)
    }
}

extension StatusSet: CustomStringConvertible {
    /// The ranges in the format of a configuration: `200-299, 304`.
    public var description: String { rangeTexts.joined(separator: ", ") }

    /// The ranges, each in the format of a configuration.
    var rangeTexts: [String] {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    }
}
