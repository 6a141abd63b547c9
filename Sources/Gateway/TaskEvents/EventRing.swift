import DequeModule
package import ErrandTaskStore

/// A ring buffer of the newest events of the store, so that watchers do not have to read the store.
package struct EventRing: Sendable {
    /// The last event before the kept ones.
    package private(set) var floor: Int64
    private let capacity: Int
    private let limitBytes: Int
    private var events: Deque<StoredEvent> = []
    private var bytes = 0

    /// The result of a read.
    package enum Reading: Sendable, Hashable {
        /// The requested events, oldest first.
        case events([StoredEvent])
        /// Some of the requested events are no longer kept.
        case gone
    }

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - capacity: The number of events to keep, at least one.
    ///   - limitBytes: The size of the events to keep, about: fewer are kept if they have many labels.
    ///   - floor: The event after which it begins.
    package init(capacity: Int, limitBytes: Int = 8 << 20, after floor: Int64 = 0) {
        self.capacity = max(1, capacity)
        self.limitBytes = limitBytes
        self.floor = floor
    }

    /// The newest event added.
    package var newest: Int64 { events.last?.id ?? floor }

    /// Adds events in the order of their identifiers; skips those that were already added.
    package mutating func append(_ new: [StoredEvent]) {
        for event in new where event.id > newest {
            events.append(event)
            bytes += event.approximateBytes
        }
        while events.count > capacity || bytes > limitBytes, let oldest = events.popFirst() {
            floor = oldest.id
            bytes -= oldest.approximateBytes
        }
    }

    /// Returns at most `limit` events after an event.
    package func events(after id: Int64, limit: Int = .max) -> Reading {
        guard id >= floor else { return .gone }
        // Binary search for the first newer event.
        var low = events.startIndex
        var high = events.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if events[middle].id > id { high = middle } else { low = middle + 1 }
        }
        return .events(Array(events[low...].prefix(limit)))
    }
}
