import ErrandLocking

/// The position of a stream.
///
/// One reader at a time advances it; the lock allows readers on different threads.
final class Cursor: Sendable {
    private let rest: Mutex<Range<Int64>>

    /// Creates a cursor at the start of a range.
    init(_ range: Range<Int64>) {
        rest = Mutex(range)
    }

    /// Takes the next positions; `nil` at the end.
    func take(upTo count: Int64) -> Range<Int64>? {
        rest.withLock { rest in
            guard !rest.isEmpty else { return nil }
            let taken = rest.lowerBound..<min(rest.lowerBound + count, rest.upperBound)
            rest = taken.upperBound..<rest.upperBound
            return taken
        }
    }
}
