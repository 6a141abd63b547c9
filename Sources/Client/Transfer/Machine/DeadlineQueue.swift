/// A priority queue of deadlines with small integers as keys: a binary heap whose entries can be moved and removed.
///
/// Suited to deadlines that are mostly removed before they are due, such as timeouts: inserting and removing an entry
/// later than all the others moves no other entry.
package struct DeadlineQueue: Sendable {
    private struct Entry {
        var deadline: MonotonicInstant
        var key: Int
    }

    private var heap: [Entry] = []
    /// The index in ``heap`` of the entry of each key; ``absent`` if it has none.
    private var positions: [Int] = []
    private static let absent = -1

    /// Creates an empty queue.
    package init() {}

    /// The earliest deadline.
    package var earliest: MonotonicInstant? { heap.first?.deadline }

    /// The deadline of `key`.
    package subscript(key: Int) -> MonotonicInstant? {
        guard positions.indices.contains(key), positions[key] != Self.absent else { return nil }
        return heap[positions[key]].deadline
    }

    /// Sets, replaces or, with `nil`, removes the deadline of `key`.
    ///
    /// - Parameters:
    ///   - deadline: The new deadline.
    ///   - key: Not negative, and small: memory grows with the largest key.
    package mutating func set(_ deadline: MonotonicInstant?, for key: Int) {
        guard key >= 0 else { return }
        if key >= positions.count {
            guard deadline != nil else { return }
            positions.append(contentsOf: repeatElement(Self.absent, count: key + 1 - positions.count))
        }
        let position = positions[key]
        switch (deadline, position) {
        case (nil, Self.absent):
            break
        case (nil, _):
            remove(at: position)
        case (let deadline?, Self.absent):
            heap.append(Entry(deadline: deadline, key: key))
            positions[key] = heap.count - 1
            siftUp(from: heap.count - 1)
        case (let deadline?, _):
            heap[position].deadline = deadline
            siftDown(from: siftUp(from: position))
        }
    }

    /// Removes the earliest entry if it is due.
    ///
    /// - Returns: The key of the removed entry.
    package mutating func popDue(at now: MonotonicInstant) -> Int? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        remove(at: 0)
        return first.key
    }

    /// Returns the earlier of two optional deadlines; `nil` only if both are.
    package static func earlier(
        _ one: MonotonicInstant?, _ other: MonotonicInstant?
    ) -> MonotonicInstant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    private mutating func remove(at position: Int) {
        positions[heap[position].key] = Self.absent
        let last = heap.removeLast()
        guard position < heap.count else { return }
        heap[position] = last
        positions[last.key] = position
        siftDown(from: siftUp(from: position))
    }

    @discardableResult
    private mutating func siftUp(from start: Int) -> Int {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard heap[position].deadline < heap[parent].deadline else { break }
            exchange(position, parent)
            position = parent
        }
        return position
    }

    private mutating func siftDown(from start: Int) {
        var position = start
        while true {
            var earliest = position
            for child in (2 * position + 1)...(2 * position + 2)
            where child < heap.count && heap[child].deadline < heap[earliest].deadline {
                earliest = child
            }
            guard earliest != position else { return }
            exchange(position, earliest)
            position = earliest
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        positions[heap[one].key] = one
        positions[heap[other].key] = other
    }
}
