import DequeModule
import ErrandLocking
package import ErrandTaskStore

/// A cache of the tasks that were written last, so that following a task does not read the store each time.
///
/// Limited by bytes; the oldest write is evicted first. Each record equals the stored one: it is added only after its
/// write. Any thread.
package final class RecentTasks: Sendable {
    private let state: Mutex<State>
    private let limitBytes: Int

    fileprivate struct State {
        var entries: [TaskID: Entry] = [:]
        /// The order of writes; only the entry with the latest stamp of a task counts.
        var order: Deque<(id: TaskID, stamp: UInt64)> = []
        var bytes = 0
        var stamp: UInt64 = 0
    }

    fileprivate struct Entry {
        var record: TaskRecord
        /// The record as clients see it, if one has read it.
        var document: [UInt8]?
        var bytes: Int
        var stamp: UInt64
    }

    /// Creates an empty cache.
    ///
    /// - Parameter limitBytes: The most memory for records and their documents, approximately.
    package init(limitBytes: Int = 8 << 20) {
        state = Mutex(State())
        self.limitBytes = limitBytes
    }

    /// Returns the record of a task; `nil` if it is not cached.
    package func record(_ id: TaskID) -> TaskRecord? {
        state.withLock { $0.entries[id]?.record }
    }

    /// Returns the cached record of a task if it is newer, else the given one.
    func newest(of record: TaskRecord) -> TaskRecord {
        guard let cached = state.withLock({ $0.entries[record.id]?.record }), cached.revision > record.revision else {
            return record
        }
        return cached
    }

    /// Returns the document of a task that has ended, which then stays in the cache with its record.
    ///
    /// Clients follow a task by reading it again and again. Rendering it costs as much as the rest of the request.
    ///
    /// - Parameter render: Returns the document, which depends on nothing but the record. It is called outside the lock.
    func document(of record: TaskRecord, render: () -> [UInt8]) -> [UInt8] {
        let cached = state.withLock { state in
            state.entries[record.id].flatMap { $0.record.revision == record.revision ? $0.document : nil }
        }
        if let cached { return cached }
        let document = render()
        state.withLock { state in
            guard var entry = state.entries[record.id], entry.record.revision == record.revision, entry.document == nil
            else { return }
            entry.document = document
            entry.bytes += document.count
            state.entries[record.id] = entry
            state.bytes += document.count
            state.trim(to: limitBytes)
        }
        return document
    }

    /// Adds a record after it was written.
    func put(_ record: TaskRecord) {
        let bytes = record.approximateBytes
        state.withLock { state in
            state.bytes -= state.entries[record.id]?.bytes ?? 0
            state.stamp += 1
            state.entries[record.id] = Entry(record: record, bytes: bytes, stamp: state.stamp)
            state.order.append((record.id, state.stamp))
            state.bytes += bytes
            state.trim(to: limitBytes)
            state.compact()
        }
    }

    /// Records that the turn of a task in its ordering key has come, which changes nothing else of the task.
    ///
    /// - Parameter revision: The task's revision at that time; for a later revision the store has decided again.
    func unblock(_ id: TaskID, revision: Int64) {
        state.withLock { state in
            guard state.entries[id]?.record.revision == revision else { return }
            state.entries[id]?.record.change { $0.isBlocked = false }
        }
    }

    /// The number of writes whose order is kept, outdated ones included.
    var orderLength: Int { state.withLock { $0.order.count } }

    /// Removes a task that was deleted.
    func remove(_ id: TaskID) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: id) else { return }
            state.bytes -= entry.bytes
        }
    }
}

extension RecentTasks.State {
    fileprivate mutating func trim(to limit: Int) {
        while let first = order.first {
            let isStale = entries[first.id]?.stamp != first.stamp
            guard isStale || bytes > limit else { return }
            order.removeFirst()
            if !isStale {
                bytes -= entries.removeValue(forKey: first.id)?.bytes ?? 0
            }
        }
    }
}

extension RecentTasks.State {
    /// Removes outdated writes from the order once most are outdated.
    ///
    /// Behind a task that stays in the cache, they would never become the oldest.
    fileprivate mutating func compact() {
        guard order.count > 2 * entries.count + 64 else { return }
        order.removeAll { entries[$0.id]?.stamp != $0.stamp }
    }
}
