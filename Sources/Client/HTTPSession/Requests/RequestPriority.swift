/// The priority of a request among those of one client (RFC 9218), sent in the header field `Priority`.
///
/// Upstreams and proxies that know the field send the responses to more urgent requests first; others ignore it.
public struct RequestPriority: Sendable, Hashable {
    /// The urgency, from 0 (the most urgent) to 7.
    ///
    /// Default: 3.
    public let urgency: Int
    /// True if the response is useful before it is complete, so that it may share the connection with others.
    ///
    /// Default: false.
    public let isIncremental: Bool

    /// Creates a priority; an urgency outside of its range becomes the nearest one in it.
    public init(urgency: Int = 3, isIncremental: Bool = false) {
        self.urgency = min(max(urgency, 0), 7)
        self.isIncremental = isIncremental
    }

    /// For responses that a user waits for: urgency 1.
    public static let high = RequestPriority(urgency: 1)
    /// For work in the background: urgency 7.
    public static let background = RequestPriority(urgency: 7)

    /// The value of the header field.
    var field: String { isIncremental ? "u=\(urgency), i" : "u=\(urgency)" }
}
