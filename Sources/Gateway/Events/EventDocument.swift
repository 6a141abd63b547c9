import JSON
import TaskEvents
import TaskStore
import Transfer

/// Writes an event as watchers read it: one piece of the stream.
///
/// Its data are `{"event","task","session","kind","at","state","revision"}` and what the event is about.
enum EventDocument {
    /// An event of the store.
    ///
    /// - Parameter record: The task as it is now, at least as new as the event: of the kinds that show more of it.
    ///   Without one these show `null`: it was deleted since, or cannot be read.
    static func bytes(of event: StoredEvent, record: TaskRecord?) -> [UInt8] {
        piece(event.kind.name, id: event.id) { writer in
            writeHead(
                event.kind.name, event.task, session: event.session, kind: event.taskKind, at: event.at,
                state: event.kind.toldState, revision: event.revision, to: &writer)
            switch event.kind {
            case .state(let state) where state.isTerminal:
                writeTask(record, to: &writer)
            case .attempt:
                writer.member("attempt")
                let attempt = event.attempt.flatMap { number in record?.result.attempt(number) }
                if let attempt { writer.raw(attempt) } else { writer.null() }
            case .redirect:
                writer.member("redirect")
                if let detail = event.detail { writer.raw(detail) } else { writer.null() }
            case .state, .deleted:
                break
            }
        }
    }

    /// The state of a task that somebody begins to watch: the event that it came into it, as of now.
    ///
    /// - Parameters:
    ///   - id: The newest event that it takes account of.
    ///   - progress: How far it has come, when it runs.
    static func current(_ record: TaskRecord, id: Int64, progress: TransferProgress?) -> [UInt8] {
        let name = StoredEvent.Kind.state(record.state).name
        return piece(name, id: id) { writer in
            writeHead(name, record, at: record.updatedAt, to: &writer)
            if record.state.isTerminal { writeTask(record, to: &writer) }
            if let progress { writeProgress(progress, to: &writer) }
        }
    }

    /// How far a task has come; it has no number, as it is not stored.
    static func progress(_ progress: TransferProgress, of record: TaskRecord, at now: Timestamp) -> [UInt8] {
        piece("task.progress", id: nil) { writer in
            writeHead("task.progress", record, at: now, to: &writer)
            writeProgress(progress, to: &writer)
        }
    }

    /// Somebody has missed events, or may have: he is to read anew what he follows.
    ///
    /// - Parameter id: The event after which he is told all again.
    static func resync(_ interest: EventInterest, id: Int64, at now: Timestamp) -> [UInt8] {
        piece("resync", id: id) { writer in
            writer.member("event")
            writer.string("resync")
            writer.member("task")
            if case .task(let task) = interest { writer.string(task.description) } else { writer.null() }
            writer.member("at")
            writer.string(now.description)
        }
    }

    /// How many tasks there are of each state, for somebody who begins to watch all.
    ///
    /// - Parameters:
    ///   - query: Of which tasks. Where it filters by more than session and state, nobody has counted them.
    ///   - id: The newest event that was known before they were counted.
    static func counts(_ counts: TaskCounts, query: TaskQuery, id: Int64, at now: Timestamp) -> [UInt8] {
        piece("tasks", id: id) { writer in
            writer.member("event")
            writer.string("tasks")
            writer.member("at")
            writer.string(now.description)
            writer.member("counts")
            guard query.isOfSessionsAndStates else { return writer.null() }
            writer.beginObject()
            let sessions = query.sessions.map { $0.sorted() } ?? counts.sessions
            for state in TaskState.allCases where query.states.isEmpty || query.states.contains(state) {
                writer.member(state.rawValue)
                writer.int(sessions.reduce(0) { $0 + counts[$1, state] })
            }
            writer.endObject()
        }
    }

    private static func piece(_ name: String, id: Int64?, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        write(&json)
        json.endObject()
        var writer = EventStreamWriter()
        writer.event(name, id: id, json: json.bytes)
        return writer.bytes
    }

    private static func writeHead(
        _ name: String, _ record: TaskRecord, at time: Timestamp, to writer: inout JSONWriter
    ) {
        writeHead(
            name, record.id, session: record.session, kind: record.kind, at: time, state: record.state,
            revision: record.revision, to: &writer)
    }

    private static func writeHead(
        _ name: String, _ task: TaskID, session: String, kind: TaskKind, at time: Timestamp, state: TaskState?,
        revision: Int64, to writer: inout JSONWriter
    ) {
        writer.member("event")
        writer.string(name)
        writer.member("task")
        writer.string(task.description)
        writer.member("session")
        writer.string(session)
        writer.member("kind")
        writer.string(kind.rawValue)
        writer.member("at")
        writer.string(time.description)
        writer.member("state")
        if let state { writer.string(state.rawValue) } else { writer.null() }
        writer.member("revision")
        writer.int(revision)
    }

    private static func writeTask(_ record: TaskRecord?, to writer: inout JSONWriter) {
        writer.member("task_document")
        guard let record else { return writer.null() }
        TaskRenderer.write(record, live: LiveTaskState(), view: .listed, to: &writer)
    }

    private static func writeProgress(_ progress: TransferProgress, to writer: inout JSONWriter) {
        writer.member("progress")
        TaskRenderer.write(progress, to: &writer)
    }
}

extension StoredEvent.Kind {
    /// Watchers are shown more of the task than the event itself has.
    var showsTask: Bool {
        switch self {
        case .state(let state): state.isTerminal
        case .attempt: true
        case .redirect, .deleted: false
        }
    }
}

extension TaskQuery {
    /// Whether it filters by nothing else.
    fileprivate var isOfSessionsAndStates: Bool {
        kind == nil && parent == nil && labels.isEmpty && createdAfter == nil && createdBefore == nil
    }
}

extension TaskResult {
    /// The item of the `attempts` member with a number; `nil` when there is none.
    fileprivate func attempt(_ number: Int) -> ArraySlice<UInt8>? {
        let list = [UInt8(ascii: "[")] + attempts + [UInt8(ascii: "]")]
        // What the gateway itself has written is JSON.
        guard let document = try? JSONDocument.parse(list) else { return nil }
        return document.root.array?.first { $0.object?["number"]?.number?.int == number }.map(document.slice)
    }
}

extension JSONValue {
    fileprivate var number: JSONNumber? {
        if case .number(let number) = kind { number } else { nil }
    }
}
