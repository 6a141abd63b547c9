package import ErrandTime

extension TaskRecord {
    /// The values of a record.
    package struct Values: Sendable, Hashable {
        /// The identifier, which also sorts tasks by creation.
        package var id: TaskID
        /// The name of the session that runs it.
        package var session: String
        /// The kind of the task.
        package var kind: TaskKind
        /// The life cycle state, including an open attempt.
        package var life: TaskLifecycle
        /// The priority, 0 to 9, higher first.
        package var priority: Int
        /// The time at which the task was accepted.
        package var createdAt: Timestamp
        /// The time of the last stored change.
        package var updatedAt: Timestamp
        /// The time at which the first attempt started.
        package var startedAt: Timestamp?
        /// The time at which the task reached a terminal state.
        package var finishedAt: Timestamp?
        /// The time from which the task and its data may be removed.
        package var expiresAt: Timestamp?
        /// The number of stored changes, from 1.
        package var revision: Int64 = 1
        /// The number of attempts that have started.
        package var attemptCount: Int = 0
        /// The time before which the task must not start; `nil` if it never had to wait for a time.
        package var notBefore: Timestamp?
        /// True if `notBefore` is a delay after the creation instead of a time of day.
        ///
        /// The rest of a delay remains the same when the clock is set.
        package var isDelayed: Bool = false
        /// The end of the current delay between two attempts; `nil` if there is none.
        package var nextAttemptAt: Timestamp?
        /// ``clockOffset`` in milliseconds, in half of its size.
        private var clockMilliseconds: Int64 = 0
        /// The time since which the task could have started, for its position in the queue.
        ///
        /// It is the creation or the end of the last required wait; ``Timestamp/earliest`` if a client wants the task
        /// to start next.
        package var readyAt: Timestamp
        /// The time at which the task fails if it has not succeeded by then.
        package var deadline: Timestamp?
        /// The key whose tasks run one at a time within a session.
        ///
        /// Among the unfinished tasks whose time has come, the one that has its turn runs first, then the one created
        /// first.
        package var orderingKey: String?
        /// True if the task is queued but waits for an earlier task of its ordering key.
        ///
        /// Only the store maintains this flag: it unblocks the next task when that one ends. The value in a written
        /// record is ignored.
        package var isBlocked: Bool = false
        /// The rate limit of the transfer, in bytes per second; `nil` for no limit.
        package var bytesPerSecond: Int64?
        /// The content that the client sends separately; `nil` if the task has all of its content.
        package var content: TaskContent?
        /// True if the partial file of a download outlives its cancellation, so that a retry can continue it.
        package var keepsPartialFile: Bool = false
        /// The task that this one repeats at a client's request.
        package var retryOf: TaskID?
        /// The last task that repeats this one.
        ///
        /// Only the store maintains this property, when it adds such a task. The value in a written record is ignored.
        package var retriedBy: TaskID?
        /// The parent of the task: for a callback, the task that has ended.
        package var parent: TaskID?
        /// The name of the schedule that created the task.
        package var schedule: String?
        /// The trace that attempts of the task continue; `nil` if the client has sent none.
        package var trace: TraceContext?
        /// The client's labels, by key.
        package var labels: [String: String]
        /// The request of the client, which never changes after creation.
        package var specification: TaskSpecification
        /// The result so far.
        package var result: TaskResult = TaskResult()

        /// Creates the values of a new task.
        package init(
            id: TaskID, session: String, kind: TaskKind, life: TaskLifecycle, priority: Int, createdAt: Timestamp,
            labels: [String: String], specification: TaskSpecification
        ) {
            self.id = id
            self.session = session
            self.kind = kind
            self.life = life
            self.priority = priority
            self.createdAt = createdAt
            updatedAt = createdAt
            readyAt = createdAt
            self.labels = labels
            self.specification = specification
        }
    }
}

extension TaskRecord.Values {
    /// The sum of the jumps of the clock with which the ends of the task's waits agree, in whole milliseconds.
    ///
    /// These ends are ``nextAttemptAt``, a ``notBefore`` that is a delay, and the time until which ``content`` is
    /// awaited. Clients do not see it.
    package var clockOffset: Duration {
        get { .milliseconds(clockMilliseconds) }
        set { clockMilliseconds = newValue.wholeMilliseconds }
    }

    /// The state of its ``life``.
    ///
    /// Setting it removes a suspended attempt; to keep the attempt, set ``life``.
    package var state: TaskState {
        get { life.state }
        set { life = TaskLifecycle(state: newValue) }
    }

    /// The time at which a scheduled task, or one between two attempts, is queued; `nil` in every other state.
    ///
    /// For a task without its content, the time at which it fails.
    package var dueAt: Timestamp? {
        switch state {
        case .scheduled: content?.awaitedUntil ?? notBefore
        case .waiting: nextAttemptAt
        case .queued, .running, .suspended, .canceling, .succeeded, .failed, .canceled: nil
        }
    }

    /// The position of the task in its session's queue.
    package var queuePosition: QueuePosition {
        QueuePosition(priority: priority, readyAt: readyAt, id: id)
    }

    /// True if an attempt has started and not ended, as far as the store knows.
    ///
    /// After the end of the process this is a lost attempt.
    package var hasOpenAttempt: Bool { life.hasOpenAttempt }
}
