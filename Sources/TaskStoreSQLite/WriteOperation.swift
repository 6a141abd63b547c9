import TaskStore

/// One write, as it waits for its transaction.
enum WriteOperation: Sendable {
    /// Adds a task.
    case insert(TaskRecord)
    /// Replaces the changeable part of a task that has a revision.
    case update(TaskRecord, expecting: Int64)
    /// Removes a task.
    case delete(TaskID)
    /// Remembers what an operator did to a session, or forgets it.
    case mark(SessionMark)
    /// Changes cookies of a session, all or none.
    case cookies([StoredCookieChange], session: String)
    /// Writes something that means nothing.
    case probe

    /// About how many frames of the log it fills: a page of each tree that it touches, and its documents.
    var frames: Int {
        switch self {
        case .insert(let record): 8 + record.labels.count * 2 + record.specification.bytes / 4096
        case .update(let record, _): 7 + record.result.bytes / 4096
        case .delete: 8
        case .mark, .probe: 1
        // The largest cookie is a little longer than a page.
        case .cookies(let changes, _): 1 + changes.count * 2
        }
    }
}

extension TaskSpecification {
    fileprivate var bytes: Int { task.count + request.count }
}

extension TaskResult {
    fileprivate var bytes: Int {
        var bytes = attempts.count + (response?.count ?? 0) + (error?.count ?? 0)
        if case .inline(let body) = body?.location { bytes += body.count }
        if case .json(let json) = object { bytes += json.count }
        return bytes
    }
}
