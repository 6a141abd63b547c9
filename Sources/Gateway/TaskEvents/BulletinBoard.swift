import DequeModule

/// The newest session events, which belong to no task and are not stored.
///
/// They are numbered, so that a stream that is busy with other events misses none. A value.
struct BulletinBoard: Sendable {
    /// An event of a session.
    struct Bulletin: Sendable {
        var number: Int64
        var session: String
        /// The event as a piece of a stream.
        var bytes: [UInt8]
    }

    /// The maximum number of kept events.
    static let limit = 256

    private var bulletins: Deque<Bulletin> = []
    /// The number of the newest event; 0 before the first.
    private(set) var newest: Int64 = 0

    /// Adds an event.
    mutating func post(_ bytes: [UInt8], of session: String) {
        newest += 1
        bulletins.append(Bulletin(number: newest, session: session, bytes: bytes))
        if bulletins.count > Self.limit { bulletins.removeFirst() }
    }

    /// Returns the events after a number that match an interest.
    func news(after number: Int64, for interest: EventInterest) -> [[UInt8]] {
        guard number < newest, case .matching(let filter) = interest else { return [] }
        return bulletins.filter { $0.number > number && filter.wantsNews(of: $0.session) }.map(\.bytes)
    }
}
