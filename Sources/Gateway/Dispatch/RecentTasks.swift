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
        }
    }

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
