package import ErrandTaskStore
package import ErrandTime

extension TaskID {
    /// Returns an identifier for tests: one millisecond per number.
    package static func sample(_ number: Int) -> TaskID {
        TaskID(timestamp: Timestamp(milliseconds: 1_795_000_000_000 + Int64(number)), a: 1, b: UInt64(number))
    }
}

extension TraceContext {
    /// Returns a trace for tests.
    package static func sample(_ number: Int, state: String = "") -> TraceContext? {
        TraceContext(
            traceID: [UInt8](repeating: 0xA0, count: 15) + [UInt8(truncatingIfNeeded: number)],
            parentID: [UInt8](repeating: 0xB0, count: 8), isSampled: true, state: state)
    }
}

extension TaskRecord {
    /// Returns a task for tests.
    package static func sample(
        _ number: Int, session: String = "github", kind: TaskKind = .data, state: TaskState = .queued,
        priority: Int = 5, labels: [String: String] = [:]
    ) -> TaskRecord {
        let id = TaskID.sample(number)
        return TaskRecord(
            id: id, session: session, kind: kind, state: state, priority: priority, createdAt: id.timestamp,
            labels: labels,
            specification: TaskSpecification(
                task: Array(#"{"session":"\#(session)"}"#.utf8), request: Array(#"{"method":"GET"}"#.utf8),
                contentBytes: Int64(number)))
    }

    /// Returns a task that was suspended during its attempt and keeps it.
    package static func standingStill(_ number: Int, session: String = "github") -> TaskRecord {
        var record = TaskRecord.sample(number, session: session, state: .running)
        record.change { _ = $0.life.handle(.suspendRequested) }
        return record
    }

    /// Changes everything that an update can change.
    package mutating func finish(_ result: TaskResult, revision: Int64) {
        var values = values
        values.finish(result, revision: revision)
        self = TaskRecord(values)
    }

    /// Returns a task with all properties that can be set on creation.
    package static func detailed(_ number: Int, state: TaskState = .queued) -> TaskRecord {
        var record = TaskRecord.sample(number, kind: .callback, state: state, labels: ["team": "billing"])
        record.change {
            $0.notBefore = $0.createdAt.adding(.seconds(10))
            $0.isDelayed = true
            $0.keepsPartialFile = true
            $0.nextAttemptAt = $0.createdAt.adding(.seconds(20))
            $0.clockOffset = .milliseconds(-28_800_001)
            $0.readyAt = .earliest
            $0.deadline = .latest
            $0.orderingKey = "customer \u{0} \u{e9}"
            $0.bytesPerSecond = .max
            $0.retryOf = .sample(number + 10_000)
            $0.parent = .sample(number + 20_000)
            $0.schedule = "nightly"
            $0.trace = .sample(number, state: "a=1,b=2")
            $0.specification.callback = Array(#"{"url":"https://example.com/hook"}"#.utf8)
        }
        return record
    }

    /// The task as a list returns it: without the client's documents.
    package var listed: TaskRecord {
        var record = self
        record.change { $0.specification.task = [] }
        return record
    }

    /// Returns a task with an ordering key.
    package static func keyed(
        _ number: Int, _ key: String = "k", session: String = "github", state: TaskState = .queued
    ) -> TaskRecord {
        var record = TaskRecord.sample(number, session: session, state: state)
        record.change { $0.orderingKey = key }
        return record
    }
}

extension TaskRecord.Values {
    fileprivate mutating func finish(_ result: TaskResult, revision: Int64) {
        state = .succeeded
        priority = 9
        updatedAt = createdAt.adding(.seconds(3))
        startedAt = createdAt.adding(.seconds(1))
        finishedAt = createdAt.adding(.seconds(2))
        expiresAt = createdAt.adding(.seconds(86_400))
        self.revision = revision
        attemptCount = Int(revision)
        notBefore = createdAt.adding(.seconds(revision))
        nextAttemptAt = createdAt.adding(.seconds(revision + 1))
        clockOffset = .milliseconds(revision)
        readyAt = createdAt.adding(.seconds(revision + 2))
        deadline = createdAt.adding(.seconds(revision + 3))
        bytesPerSecond = 1000 * revision
        isDelayed = revision.isMultiple(of: 2)
        keepsPartialFile = !isDelayed
        self.result = result
    }
}

extension TaskResult {
    /// Results with each kind of body and object.
    package static let samples: [TaskResult] = {
        var inline = TaskResult()
        inline.attempts = Array(#"{"number":1},{"number":2}"#.utf8)
        inline.response = Array(#""status":200"#.utf8)
        inline.body = .sample(.inline(Array(#"{"id":12345678901234567890,"price":1.10}"#.utf8)))
        inline.object = .slice(0..<40)
        var file = inline
        file.body = .sample(.file)
        file.object = .omitted
        var empty = inline
        empty.body = .sample(.inline([]))
        empty.object = .none
        var made = inline
        made.body?.contentType = nil
        made.object = .json(Array("[]".utf8))
        var failed = TaskResult()
        failed.attempts = Array(#"{"number":1}"#.utf8)
        failed.error = Array(#"{"code":"timed_out"}"#.utf8)
        return [inline, file, empty, made, failed]
    }()
}

extension StoredBody {
    /// Returns a body for tests.
    package static func sample(_ location: Location) -> StoredBody {
        let size: Int64 =
            switch location {
            case .inline(let bytes): Int64(bytes.count)
            case .file: 1_000_000
            }
        return StoredBody(
            size: size, sha256: [UInt8](repeating: 0xAB, count: 32), contentType: "application/json",
            location: location)
    }
}

extension ScheduleRecord {
    /// Returns a schedule for tests.
    package static func sample(_ name: String, text: String = "") -> ScheduleRecord {
        ScheduleRecord(
            name: name, origin: .api, definition: Array(#"{"cron":"@daily","text":"\#(text)"}"#.utf8),
            session: "github", createdAt: Timestamp(milliseconds: 1_795_000_000_000),
            nextRunAt: Timestamp(milliseconds: 1_795_000_060_000))
    }
}

extension StoredCookie {
    /// Returns a cookie for tests.
    package static func sample(
        _ name: String, domain: String = "example.com", isHostOnly: Bool = false, path: String = "/",
        value: String = "1", expiresAt: Timestamp? = nil
    ) -> StoredCookie {
        StoredCookie(
            key: Key(domain: domain, isHostOnly: isHostOnly, path: path, name: name), value: value, isSecure: true,
            isHTTPOnly: false, expiresAt: expiresAt, creationOrder: 7,
            lastAccessAt: Timestamp(milliseconds: 1_795_000_000_000))
    }
}
