import ErrandJSON
import ErrandTaskEngine
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// A renderer of events as pieces of a server-sent event stream.
///
/// The data of an event are `{"event","task","session","kind","at","state","revision"}` and further members by kind.
enum EventDocument {
    /// Returns a stored event.
    ///
    /// - Parameter record: The current task, at least as new as the event, for the kinds of events that show more of
    ///   it. If `nil`, as the task was deleted or cannot be read, those members are `null`.
    static func bytes(of event: StoredEvent, record: TaskRecord?) -> [UInt8] {
        piece(event.kind.name, id: event.id) { writer in
            writeHead(
                event.task, session: event.session, kind: event.taskKind, at: event.at,
                state: event.kind.toldState, revision: event.revision, to: &writer)
            switch event.kind {
            case .state(let state) where state.isTerminal:
                writeTask(record, to: &writer)
            case .attempt:
                writer.member("attempt")
                writer.raw(event.attempt.flatMap { number in record?.result.attempt(number) })
            case .redirect:
                writer.member("redirect")
                writer.raw(event.detail)
            case .challenge:
                writer.member("challenge")
                writer.raw(event.detail)
            case .state, .deleted:
                break
            }
        }
    }

    /// Returns the current state of a task as an event, for the beginning of a stream.
    ///
    /// - Parameters:
    ///   - id: The newest event included in the state.
    ///   - live: The part of the state of a running task that is not stored.
    static func current(_ record: TaskRecord, id: Int64, _ live: LiveTaskState) -> [UInt8] {
        piece(StoredEvent.Kind.state(record.state).name, id: id) { writer in
            writeHead(record, at: record.updatedAt, to: &writer)
            if record.state.isTerminal { writeTask(record, to: &writer) }
            if let progress = live.progress { writeProgress(progress, live.rates, to: &writer) }
        }
    }

    /// Returns the progress of a task, as an event without an id, since it is not stored.
    ///
    /// - Parameter rates: The rates of the transfer; unknown for one that has ended.
    static func progress(
        _ progress: TransferProgress, rates: TransferRates = TransferRates(), of record: TaskRecord, at now: Timestamp
    ) -> [UInt8] {
        piece("task.progress", id: nil) { writer in
            writeHead(record, at: now, to: &writer)
            writeProgress(progress, rates, to: &writer)
        }
    }

    /// Returns the event that tells a client that it may have missed events and must reload.
    ///
    /// - Parameter id: The event after which the stream continues.
    static func resync(_ interest: EventInterest, id: Int64, at now: Timestamp) -> [UInt8] {
        piece("resync", id: id) { writer in
            writer.member("task")
            if case .task(let task) = interest { writer.string(task) } else { writer.null() }
            writer.member("at", now)
        }
    }

    /// Returns the number of tasks in each state, for the beginning of a stream of all tasks.
    ///
    /// - Parameters:
    ///   - query: The filter of the stream. Counts exist only if it filters by nothing but session, state and kind.
    ///   - id: The newest event known before the count.
    static func counts(_ counts: TaskCounts, query: TaskQuery, id: Int64, at now: Timestamp) -> [UInt8] {
        piece("tasks", id: id) { writer in
            writer.member("at", now)
            writer.member("counts")
            if let counts = counts.matching(query) { writer.counts(counts) } else { writer.null() }
        }
    }

    /// Returns an event whose data are its name and the members that `write` adds.
    static func piece(_ name: String, id: Int64?, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("event", name)
        write(&json)
        json.endObject()
        var writer = EventStreamWriter()
        writer.event(name, id: id, json: json.bytes)
        return writer.bytes
    }

    private static func writeHead(_ record: TaskRecord, at time: Timestamp, to writer: inout JSONWriter) {
        writeHead(
            record.id, session: record.session, kind: record.kind, at: time, state: record.state,
            revision: record.revision, to: &writer)
    }

    private static func writeHead(
        _ task: TaskID, session: String, kind: TaskKind, at time: Timestamp, state: TaskState?,
        revision: Int64, to writer: inout JSONWriter
    ) {
        writer.member("task", task)
        writer.member("session", session)
        writer.member("kind", kind.rawValue)
        writer.member("at", time)
        writer.member("state", state?.rawValue)
        writer.member("revision", revision)
    }

    private static func writeTask(_ record: TaskRecord?, to writer: inout JSONWriter) {
        writer.member("task_document")
        guard let record else { return writer.null() }
        TaskRenderer.write(record, live: LiveTaskState(), view: .listed, to: &writer)
    }

    private static func writeProgress(
        _ progress: TransferProgress, _ rates: TransferRates, to writer: inout JSONWriter
    ) {
        writer.member("progress")
        TaskRenderer.write(progress, rates: rates, to: &writer)
    }
}

extension StoredEvent.Kind {
    /// A Boolean value that indicates whether the event shows more of the task than its own fields.
    var showsTask: Bool {
        switch self {
        case .state(let state): state.isTerminal
        case .attempt: true
        case .redirect, .challenge, .deleted: false
        }
    }
}

extension TaskResult {
    /// Returns the item of the `attempts` member with a number, or `nil` without one.
    fileprivate func attempt(_ number: Int) -> ArraySlice<UInt8>? {
        guard let document = attemptsDocument else { return nil }
        return document.root.array?.first { $0.object?["number"]?.number?.int == number }.map(document.slice)
    }
}
