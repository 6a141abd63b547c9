import DequeModule
package import TaskStore

/// The newest events of the store, so that telling many watchers what happened does not read it each time.
package struct EventRing: Sendable {
    /// Events up to this one are not here.
    package private(set) var floor: Int64
    private let capacity: Int
    private var events: Deque<StoredEvent> = []

    /// What follows a place in the ring.
    package enum Reading: Sendable, Hashable {
        /// All that there is, oldest first, or as much of it as was wanted.
        case events([StoredEvent])
        /// Some of it is not here any more.
        case gone
    }

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - capacity: It keeps so many events, at least one.
    ///   - floor: The event after which it begins.
    package init(capacity: Int, after floor: Int64 = 0) {
        self.capacity = max(1, capacity)
        self.floor = floor
    }

    /// The newest event that was here.
    package var newest: Int64 { events.last?.id ?? floor }

    /// Takes in events in the order of their identifiers; one that is not newer than the newest is here already.
    package mutating func append(_ new: [StoredEvent]) {
        for event in new where event.id > newest { events.append(event) }
        while events.count > capacity, let oldest = events.popFirst() { floor = oldest.id }
    }

    /// Reads what follows an event, at most `limit`.
    package func events(after id: Int64, limit: Int = .max) -> Reading {
        guard id >= floor else { return .gone }
        // The first one that is newer: everything before it is not.
        var low = events.startIndex
        var high = events.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if events[middle].id > id { high = middle } else { low = middle + 1 }
        }
        return .events(Array(events[low...].prefix(limit)))
    }
}
