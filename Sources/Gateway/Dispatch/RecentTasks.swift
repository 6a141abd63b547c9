import DequeModule
import Locking
package import TaskStore

/// The tasks that were written last, so that following a task does not read the store each time.
///
/// Bounded by bytes; the oldest write leaves first. What is here is what the store has: a record is put in only after
/// its write. Any thread.
package final class RecentTasks: Sendable {
    private let state: Mutex<State>
    private let limitBytes: Int

    fileprivate struct State {
        var entries: [TaskID: Entry] = [:]
        /// The order of writes; an entry counts only with the stamp of its latest.
        var order: Deque<(id: TaskID, stamp: UInt64)> = []
        var bytes = 0
        var stamp: UInt64 = 0
    }

    fileprivate struct Entry {
        var record: TaskRecord
        var bytes: Int
        var stamp: UInt64
    }

    /// - Parameter limitBytes: The most memory for records, roughly.
    package init(limitBytes: Int = 8 << 20) {
        state = Mutex(State())
        self.limitBytes = limitBytes
    }

    /// The record of a task, when it is here.
    package func record(_ id: TaskID) -> TaskRecord? {
        state.withLock { $0.entries[id]?.record }
    }

    /// Takes in a record as it was written.
    package func put(_ record: TaskRecord) {
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

    /// Takes note that the turn of a task in its ordering key has come, which changes nothing else of it.
    ///
    /// - Parameter revision: The one that the task had then: of a later one the store has decided anew.
    package func unblock(_ id: TaskID, revision: Int64) {
        state.withLock { state in
            guard state.entries[id]?.record.revision == revision else { return }
            state.entries[id]?.record.isBlocked = false
        }
    }

    /// How many writes it remembers the order of, those that do not count any more included.
    var orderLength: Int { state.withLock { $0.order.count } }

    /// Forgets a task that was deleted.
    package func remove(_ id: TaskID) {
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
    /// Forgets the places of writes that do not count any more, once most do not: behind a task that stays, they would
    /// never be the oldest.
    fileprivate mutating func compact() {
        guard order.count > 2 * entries.count + 64 else { return }
        order.removeAll { entries[$0.id]?.stamp != $0.stamp }
    }
}

extension TaskRecord {
    /// The memory that the record takes, roughly.
    fileprivate var approximateBytes: Int {
        var bytes = 512 + specification.task.count + specification.request.count + result.attempts.count
        bytes += (result.response?.count ?? 0) + (result.error?.count ?? 0) + labels.count * 64
        if case .inline(let content) = result.body?.location { bytes += content.count }
        if case .json(let object) = result.object { bytes += object.count }
        return bytes
    }
}
