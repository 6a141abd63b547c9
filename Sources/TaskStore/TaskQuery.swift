/// Which tasks a page of the list holds: those that pass all filters.
package struct TaskQuery: Sendable, Hashable {
    /// Only tasks in one of these states; empty for any.
    package var states: Set<TaskState> = []
    /// Only tasks of one of these sessions; `nil` for any, an empty set for none.
    package var sessions: Set<String>?
    /// Only tasks of this kind.
    package var kind: TaskKind?
    /// Only tasks that are about this one.
    package var parent: TaskID?
    /// Only tasks that have all of these labels.
    package var labels: [String: String] = [:]
    /// Only tasks whose identifier was made later than this, to the millisecond.
    package var createdAfter: Timestamp?
    /// Only tasks whose identifier was made earlier than this, to the millisecond.
    package var createdBefore: Timestamp?
    /// At most so many tasks, from 1.
    package var pageSize = 100
    /// Only tasks older than this one: where the page before has ended.
    package var after: TaskID?
    /// Objects up to so many bytes are part of a page; larger ones are left out.
    package var inlineObjectBytes = 8192

    /// Creates a query for the newest tasks, without a filter.
    package init() {}

    /// The identifiers that the times and ``after`` leave, both ends included; `nil` when they leave none.
    package var identifiers: ClosedRange<TaskID>? {
        var lowest = TaskID.first(at: .earliest)
        var highest = TaskID.last(at: .latest)
        if let createdAfter {
            guard createdAfter < .latest else { return nil }
            lowest = TaskID.first(at: createdAfter.adding(.milliseconds(1)))
        }
        if let createdBefore {
            // No identifier is older than 1970.
            guard createdBefore.milliseconds > 0 else { return nil }
            highest = TaskID.last(at: createdBefore.adding(.milliseconds(-1)))
        }
        if let after {
            guard let before = after.predecessor else { return nil }
            highest = min(highest, before)
        }
        return lowest <= highest ? lowest...highest : nil
    }
}

extension TaskID {
    /// The next lower identifier, `nil` below the lowest.
    fileprivate var predecessor: TaskID? {
        if low > 1 << 63 { return TaskID(high: high, low: low - 1) }
        let a = high & 0xFFF
        if a > 0 { return TaskID(timestamp: timestamp, a: a - 1, b: .max) }
        guard timestamp.milliseconds > 0 else { return nil }
        return TaskID.last(at: timestamp.adding(.milliseconds(-1)))
    }
}

/// A page of the list.
package struct TaskPage: Sendable {
    /// The tasks, newest first.
    package var tasks: [TaskRecord]
    /// Where the next page begins; `nil` when this is the last.
    package var next: PageToken?

    /// Creates a page from what a store found.
    ///
    /// - Parameters:
    ///   - found: The newest tasks that match, one more than the page holds when there are so many.
    ///   - query: What was asked for.
    package init(found: [TaskRecord], query: TaskQuery) {
        if found.count > query.pageSize, query.pageSize > 0 {
            tasks = Array(found.prefix(query.pageSize))
            next = tasks.last.map { PageToken(last: $0.id, query: query) }
        } else {
            tasks = found
            next = nil
        }
    }
}
