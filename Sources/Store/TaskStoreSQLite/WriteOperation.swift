import ErrandTaskStore
import ErrandTime

/// One write that waits for its transaction.
struct WriteOperation<Value: Sendable>: Sendable {
    /// The estimated number of log frames: a page of each modified tree, and the documents.
    let frames: Int
    /// The effect on the disk usage.
    let effect: DiskRoom.Effect
    /// Performs the write.
    let perform: @Sendable (inout TaskWriting) throws -> Value

    private init(
        frames: Int, effect: DiskRoom.Effect = .changes,
        perform: @escaping @Sendable (inout TaskWriting) throws -> Value
    ) {
        self.frames = frames
        self.effect = effect
        self.perform = perform
    }
}

extension WriteOperation where Value == Result<Insertion, TaskStoreError> {
    /// Adds a task.
    static func insert(_ task: NewTask) -> Self {
        Self(frames: task.record.insertionFrames + (task.idempotency == nil ? 0 : 4), effect: .adds) {
            try $0.insert(task)
        }
    }
}

extension WriteOperation where Value == UpdateOutcome {
    /// Replaces the changeable part of a task with an expected revision.
    ///
    /// On a full disk a cancel, with the deliveries of its callbacks, may use the reserved space like a removal: the
    /// removal of an unfinished task begins with it.
    static func update(_ update: TaskUpdate) -> Self {
        let record = update.record
        let children = update.children.reduce(0) { $0 + $1.insertionFrames }
        let labels = update.changesLabels ? record.labels.count * 4 : 0
        return Self(
            frames: 10 + record.result.bytes / 4096 + update.hops.count + labels + children,
            effect: [.canceling, .canceled].contains(record.state) ? .removes : .changes
        ) {
            try $0.update(update)
        }
    }
}

extension WriteOperation where Value == Deletion? {
    /// Removes a task.
    static func delete(_ id: TaskID, at now: Timestamp, because reason: DeletionReason) -> Self {
        Self(frames: 15, effect: .removes) { try $0.delete(id, at: now, because: reason) }
    }
}

extension WriteOperation where Value == Bool {
    /// Writes a schedule, and the task of its run.
    ///
    /// On a full disk a schedule can be suspended, with the reserved space if necessary: it would add tasks as soon as
    /// there is room.
    static func put(_ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?) -> Self {
        let effect: DiskRoom.Effect =
            if expected == nil || task != nil { .adds } else if schedule.isSuspended { .removes } else { .changes }
        return Self(
            frames: 2 + schedule.definition.count / 4096 + (task?.insertionFrames ?? 0), effect: effect
        ) {
            try $0.put(schedule, expecting: expected, inserting: task)
        }
    }

    /// Removes a schedule.
    static func removeSchedule(_ name: String) -> Self {
        Self(frames: 1, effect: .removes) { try $0.removeSchedule(name) }
    }

    /// Removes expired idempotency keys and deletion events.
    static func forget(keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int) -> Self {
        Self(frames: 4 + limit / 8, effect: .removes) {
            try $0.forget(keysExpiredAt: now, deletionsBefore: moment, limit: limit)
        }
    }
}

extension WriteOperation where Value == Void {
    /// Stores the control state of a session, or removes it.
    static func controlState(_ controlState: SessionControlState) -> Self {
        Self(frames: 1) { try $0.set(controlState) }
    }

    /// Stores the hold of a session, or removes it.
    static func hold(_ hold: UpstreamHold) -> Self {
        Self(frames: 1) { try $0.set(hold) }
    }

    /// Stores the clock.
    ///
    /// With the reserved space if necessary: a start depends on it, which must be possible on a full disk.
    static func clock(_ clock: StoredClock) -> Self {
        Self(frames: 1, effect: .removes) { try $0.set(clock) }
    }

    /// Changes cookies of a session, all or none.
    static func cookies(_ changes: [StoredCookieChange], session: String) -> Self {
        // The largest cookie is a little longer than a page.
        Self(frames: 1 + changes.count * 2) { try $0.apply(changes, session: session) }
    }

    /// Writes a meaningless value, unless an addition would be refused.
    static var probe: Self {
        Self(frames: 1, effect: .asks) { try $0.probe() }
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
