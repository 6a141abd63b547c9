package import ErrandTime

/// The filters of a list.
///
/// A page contains the tasks that pass all of them.
package struct TaskQuery: Sendable, Hashable {
    /// The states of the tasks; empty for any.
    package var states: Set<TaskState> = []
    /// The sessions of the tasks; `nil` for any, an empty set for none.
    package var sessions: Set<String>?
    /// The kind of the tasks; `nil` for any.
    package var kind: TaskKind?
    /// The parent of the tasks; `nil` for any.
    package var parent: TaskID?
    /// Labels that the tasks must all have.
    package var labels: [String: String] = [:]
    /// The time after which the identifiers were created, to the millisecond.
    package var createdAfter: Timestamp?
    /// The time before which the identifiers were created, to the millisecond.
    package var createdBefore: Timestamp?
    /// The range of the identifiers; `nil` for any.
    package var range: ClosedRange<TaskID>?
    /// The time after which the tasks ended; unfinished tasks do not match.
    package var finishedAfter: Timestamp?
    /// The time before which the tasks ended; unfinished tasks do not match.
    package var finishedBefore: Timestamp?
    /// The name of the schedule that created the tasks; `nil` for any origin.
    package var schedule: String?
    /// True for tasks that another task repeats (``TaskRecord/retriedBy``), false for the others, `nil` for any.
    package var isRetried: Bool?
    /// The code of the error with which the tasks ended; `nil` for any end.
    package var errorCode: String?
    /// The statuses of the response with which the tasks ended; `nil` for any end.
    package var statuses: ClosedRange<Int>?
    /// The method of the request, in upper case; `nil` for any.
    package var method: String?
    /// The reason for which the tasks wait; `nil` for any task.
    package var hold: TaskHold?
    /// The texts of those times that a client gave relative to the present, such as `-24h`.
    ///
    /// Such a time differs with each request, its text does not.
    package var relativeTimes: [TimeFilter: String] = [:]
    /// The most tasks on a page, at least 1.
    package var pageSize = 100
    /// The size of its tasks in memory at which a page ends before it has ``pageSize`` tasks, in bytes; no limit by
    /// default.
    package var sufficientBytes = Int.max
    /// The order of the tasks.
    package var order = TaskOrder.newestFirst
    /// The last task of the previous page; only tasks behind it in the order match.
    package var after: TaskID?
    /// The time at which ``after`` ended, in an order by end.
    package var afterEnd: Timestamp?
    /// The largest object that a page contains, in bytes; larger ones are omitted.
    package var inlineObjectBytes = 8192
    /// True if a page contains the labels of the tasks.
    package var showsLabels = true
    /// True if a page contains the documents of the tasks: request, callback and result.
    package var showsDocuments = true

    /// Creates a query for the newest tasks, without a filter.
    package init() {}

    /// True if a filter looks into the documents of tasks, which a store cannot do if they are sealed.
    package var readsDocuments: Bool { errorCode != nil || statuses != nil || method != nil }

    /// Returns true if a task that matched all filters still does: only its state, its labels, ``isRetried`` and what a
    /// store knows of its hold change, and what the end of a task has set never does.
    package func stillMatches(_ record: TaskRecord) -> Bool {
        (states.isEmpty || states.contains(record.state))
            && labels.allSatisfy { record.labels[$0.key] == $0.value }
            && isRetried.map { $0 == (record.retriedBy != nil) } ?? true
            && holds(record)
    }

    private func holds(_ record: TaskRecord) -> Bool {
        guard let hold else { return true }
        guard hold.states.contains(record.state) else { return false }
        return switch hold {
        case .content: record.content?.awaitedUntil != nil
        case .ordering: record.isBlocked
        case .session: !record.isBlocked
        }
    }

    /// The range of identifiers that the times, ``range`` and, in an order by creation, ``after`` allow; `nil` if it is
    /// empty.
    package var identifiers: ClosedRange<TaskID>? {
        var lowest = TaskID.first(at: .earliest)
        var highest = TaskID.last(at: .latest)
        if let createdAfter {
            guard createdAfter < .latest else { return nil }
            lowest = TaskID.first(at: createdAfter.adding(.milliseconds(1)))
        }
        if let createdBefore {
            // Identifiers cannot be older than 1970.
            guard createdBefore.milliseconds > 0 else { return nil }
            highest = TaskID.last(at: createdBefore.adding(.milliseconds(-1)))
        }
        if let range {
            lowest = max(lowest, range.lowerBound)
            highest = min(highest, range.upperBound)
        }
        switch (order, after) {
        case (.newestFirst, let after?):
            guard let before = after.predecessor else { return nil }
            highest = min(highest, before)
        case (.oldestFirst, let after?):
            guard let next = after.successor else { return nil }
            lowest = max(lowest, next)
        case (.lastFinished, _), (.firstFinished, _), (_, nil): break
        }
        return lowest <= highest ? lowest...highest : nil
    }
}

extension TaskID {
    /// The next higher identifier; `nil` above the highest.
    fileprivate var successor: TaskID? {
        if low < 1 << 63 | (1 << 62 - 1) { return TaskID(high: high, low: low + 1) }
        let a = high & 0xFFF
        if a < 0xFFF { return TaskID(timestamp: timestamp, a: a + 1, b: 0) }
        guard timestamp < .latest else { return nil }
        return TaskID.first(at: timestamp.adding(.milliseconds(1)))
    }

    /// The next lower identifier; `nil` below the lowest.
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
    /// The tasks, in the order of the query.
    package var tasks: [TaskRecord]
    /// The token of the next page; `nil` on the last page.
    package var next: PageToken?

    /// Creates a page from the result of a store.
    ///
    /// - Parameters:
    ///   - found: The first tasks that match, with one more than the page contains if there are that many.
    ///   - isCut: True if more tasks match, which were not read because of ``TaskQuery/sufficientBytes``.
    ///   - query: The query.
    package init(found: [TaskRecord], isCut: Bool = false, query: TaskQuery) {
        let isFull = found.count > query.pageSize && query.pageSize > 0
        tasks = isFull ? Array(found.prefix(query.pageSize)) : found
        guard isFull || isCut else { return }
        next = tasks.last.map { PageToken(last: $0.id, finishedAt: $0.finishedAt, query: query) }
    }
}
