/// The spans that wait to be sent to the collector, in order, up to a number.
struct SpanQueue: Sendable {
    /// The most spans of a request.
    static let maxBatch = 512

    private var spans: [Span] = []
    /// The most spans that wait.
    var capacity: Int
    /// The number of spans that found no room since ``takeLost()``.
    private(set) var lost = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of waiting spans.
    var count: Int { spans.count }

    /// True if as many spans wait as a request takes, or as may wait.
    var isBatchFull: Bool { spans.count >= min(Self.maxBatch, capacity) }

    /// Appends a span, or counts it as lost if there is no room.
    mutating func append(_ span: Span) {
        if spans.count < capacity { spans.append(span) } else { lost += 1 }
    }

    /// Removes and returns the first spans, at most ``maxBatch``.
    mutating func takeBatch() -> [Span] {
        let batch = Array(spans.prefix(Self.maxBatch))
        spans.removeFirst(batch.count)
        return batch
    }

    /// Puts a batch back in front, as far as there is room.
    mutating func putBack(_ batch: [Span]) {
        let room = max(0, capacity - spans.count)
        spans.insert(contentsOf: batch.prefix(room), at: 0)
        lost += max(0, batch.count - room)
    }

    /// Removes all spans, which are lost, and returns the number of lost spans since the last ``takeLost()``.
    mutating func removeAll() -> Int {
        lost += spans.count
        spans = []
        return takeLost()
    }

    /// Returns the number of lost spans since the last call.
    mutating func takeLost() -> Int {
        defer { lost = 0 }
        return lost
    }
}
