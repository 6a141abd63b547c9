import TaskStore

/// One write, as it waits for its transaction.
struct WriteOperation<Value: Sendable>: Sendable {
    /// About how many frames of the log it fills: a page of each tree that it touches, and its documents.
    let frames: Int
    /// Does it.
    let perform: @Sendable (inout TaskWriting) throws -> Value

    private init(frames: Int, _ perform: @escaping @Sendable (inout TaskWriting) throws -> Value) {
        self.frames = frames
        self.perform = perform
    }
}

extension WriteOperation where Value == Result<Insertion, TaskStoreError> {
    /// Adds a task.
    static func insert(_ task: NewTask) -> Self {
        Self(frames: task.record.insertionFrames + (task.idempotency == nil ? 0 : 3)) { try $0.insert(task) }
    }
}

extension WriteOperation where Value == UpdateOutcome {
    /// Replaces the changeable part of a task that has a revision.
    static func update(_ update: TaskUpdate) -> Self {
        let record = update.record
        let children = update.children.reduce(0) { $0 + $1.insertionFrames }
        let labels = update.changesLabels ? record.labels.count * 4 : 0
        return Self(frames: 10 + record.result.bytes / 4096 + update.redirects.count + labels + children) {
            try $0.update(update)
        }
    }
}

extension WriteOperation where Value == Deletion? {
    /// Removes a task.
    static func delete(_ id: TaskID, at now: Timestamp) -> Self {
        Self(frames: 14) { try $0.delete(id, at: now) }
    }
}

extension WriteOperation where Value == Bool {
    /// Writes a schedule, and the task of its run.
    static func put(_ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?) -> Self {
        Self(frames: 2 + schedule.definition.count / 4096 + (task?.insertionFrames ?? 0)) {
            try $0.put(schedule, expecting: expected, inserting: task)
        }
    }

    /// Removes a schedule.
    static func removeSchedule(_ name: String) -> Self {
        Self(frames: 1) { try $0.removeSchedule(name) }
    }

    /// Forgets idempotency keys and deletions.
    static func forget(keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int) -> Self {
        Self(frames: 4 + limit / 8) { try $0.forget(keysExpiredAt: now, deletionsBefore: moment, limit: limit) }
    }
}

extension WriteOperation where Value == Void {
    /// Remembers what an operator did to a session, or forgets it.
    static func mark(_ mark: SessionMark) -> Self {
        Self(frames: 1) { try $0.set(mark) }
    }

    /// Changes cookies of a session, all or none.
    static func cookies(_ changes: [StoredCookieChange], session: String) -> Self {
        // The largest cookie is a little longer than a page.
        Self(frames: 1 + changes.count * 2) { try $0.apply(changes, session: session) }
    }

    /// Writes something that means nothing.
    static var probe: Self {
        Self(frames: 1) { try $0.probe() }
    }
}

extension TaskRecord {
    fileprivate var insertionFrames: Int {
        let specification = specification.task.count + specification.request.count
        return 11 + labels.count * 2 + (specification + result.bytes) / 4096
    }
}

extension TaskResult {
    fileprivate var bytes: Int {
        var bytes = attempts.count + (response?.count ?? 0) + (error?.count ?? 0)
        if case .inline(let body) = body?.location { bytes += body.count }
        if case .json(let json) = object { bytes += json.count }
        return bytes
    }
}
