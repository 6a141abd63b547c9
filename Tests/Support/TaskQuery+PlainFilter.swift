import ErrandTaskStore
import ErrandTime

extension TaskQuery {
    /// Returns true if a task passes the filters, by a simple implementation.
    func selects(_ record: TaskRecord) -> Bool {
        guard states.isEmpty || states.contains(record.state) else { return false }
        guard schedule == nil || schedule == record.schedule else { return false }
        guard isRetried == nil || isRetried == (record.retriedBy != nil) else { return false }
        return (sessions.map { $0.contains(record.session) } ?? true)
            && (kind.map { $0 == record.kind } ?? true)
            && (parent.map { $0 == record.parent } ?? true)
            && labels.allSatisfy { record.labels[$0.key] == $0.value }
            && (createdAfter.map { record.id.timestamp > $0 } ?? true)
            && (createdBefore.map { record.id.timestamp < $0 } ?? true)
            && (range.map { $0.contains(record.id) } ?? true)
            && (finishedAfter.map { time in record.finishedAt.map { $0 > time } ?? false } ?? true)
            && (finishedBefore.map { time in record.finishedAt.map { $0 < time } ?? false } ?? true)
            && (!order.isByEnd || record.finishedAt != nil)
    }
}
