import ErrandTaskEngine
import ErrandTaskEvents
import ErrandTaskStore

/// The event stream of one client: first the missed events, read from the store, then the new ones, until it
/// disconnects.
///
/// It produces a piece when the client has received the previous one, and stores only its position in between. A client
/// that does not read costs no more than an idle one, and gets a `resync` event when it has fallen too far behind.
actor TaskEventStream {
    /// The start of a stream.
    enum Beginning: Sendable {
        /// A piece that describes the current state, then the events after `after`.
        case now([UInt8], after: Int64)
        /// A piece that describes the final state; no events follow.
        case last([UInt8])
        /// The stored events after `after`.
        case replay(after: Int64)
    }

    /// The time before a client reconnects, in milliseconds.
    static let retryMilliseconds = 2000
    /// The idle time before a comment is sent; with the tolerance of one second of a wait, at most 15 s.
    static let heartbeat = Duration.seconds(14)
    /// The time of a replay without a match after which the position is sent.
    static let replayPatience = Duration.seconds(10)
    /// The approximate size of a piece.
    private static let pieceBytes = 16 * 1024
    /// The number of events read at once.
    private static let pageSize = 256

    private enum Phase {
        case beginning
        case replaying
        case live
        case ended
    }

    private let watch: EventWatch
    private let interest: EventInterest
    private let beginning: Beginning
    /// The revision of the task that the client already has, for the stream of a single task.
    private let knownRevision: Int64
    private var phase = Phase.beginning
    private var cursor: Int64
    /// The last deletion that the store had forgotten when a replay from the first event began; 0 for other replays.
    private var forgotten: Int64 = 0
    /// The last session event that was sent.
    private var bulletin: Int64

    /// Creates a stream.
    ///
    /// - Parameter knownRevision: The revision of the task in the beginning, for the stream of a single task.
    init(_ watch: EventWatch, of interest: EventInterest, from beginning: Beginning, knownRevision: Int64 = 0) {
        self.watch = watch
        self.interest = interest
        self.beginning = beginning
        self.knownRevision = knownRevision
        switch beginning {
        case .now(_, let after), .replay(let after): cursor = after
        case .last: cursor = 0
        }
        bulletin = watch.hub.newestBulletin
        watch.ticker.streamBegins()
    }

    deinit {
        watch.ticker.streamEnds()
    }

    /// Returns the next piece; `nil` at the end.
    func next() async throws(TaskStoreError) -> [UInt8]? {
        var writer = EventStreamWriter()
        let start = watch.timer.elapsed()
        while writer.bytes.isEmpty {
            switch phase {
            case .beginning:
                begin(&writer)
            case .replaying:
                try await replay(&writer)
                if silence(since: start) >= Self.replayPatience { tellPosition(&writer) }
            case .live:
                try await followLive(&writer, silentSince: start)
            case .ended:
                return nil
            }
        }
        return writer.bytes
    }

    private func silence(since start: Duration) -> Duration { watch.timer.elapsed() - start }

    private func begin(_ writer: inout EventStreamWriter) {
        writer.retry(afterMilliseconds: Self.retryMilliseconds)
        switch beginning {
        case .now(let piece, _):
            writer.append(piece)
            phase = .live
        case .last(let piece):
            writer.append(piece)
            phase = .ended
        case .replay:
            // Sends the response head at once, even if there is no event yet.
            writer.comment()
            phase = .replaying
        }
    }

    // MARK: Stored events

    private func replay(_ writer: inout EventStreamWriter) async throws(TaskStoreError) {
        guard !Task.isCancelled else {
            phase = .ended
            return
        }
        // Read before the store, so that the page includes all older events.
        let newest = watch.hub.newest
        // A client that requests all events from the beginning has missed none.
        if task == nil, cursor == 0 { forgotten = try await watch.context.store.eventBounds().forgotten }
        let events = try await watch.context.store.events(after: cursor, task: task, limit: Self.pageSize)
        // Compared after the read, before which a deletion may have been forgotten.
        if task == nil, try await watch.context.store.eventBounds().forgotten > max(cursor, forgotten) {
            phase = .live
            return resync(&writer)
        }
        guard try await write(events, to: &writer) else { return }
        if events.count < Self.pageSize {
            cursor = max(cursor, newest)
            phase = .live
            // The events of a deleted task are deleted too, so none follow.
            if let task, try await isGone(task) { phase = .ended }
        }
    }

    /// Writes the position after events that did not match.
    ///
    /// Neither the client nor a proxy gives up then, and a client that reconnects does not start again.
    private func tellPosition(_ writer: inout EventStreamWriter) {
        guard writer.bytes.isEmpty, phase != .ended else { return }
        writer.position(cursor)
        writer.comment()
    }

    private func isGone(_ task: TaskID) async throws(TaskStoreError) -> Bool {
        do {
            return try await watch.context.store.task(task) == nil
        } catch {
            // An unreadable task still exists.
            guard error.isOfOneTask else { throw error }
            return false
        }
    }

    private var task: TaskID? {
        if case .task(let id) = interest { id } else { nil }
    }

    // MARK: What happens

    private func followLive(
        _ writer: inout EventStreamWriter, silentSince start: Duration
    ) async throws(TaskStoreError) {
        switch watch.hub.events(after: cursor, limit: Self.pageSize) {
        case .gone where task != nil:
            // The events of a single task are in the store.
            phase = .replaying
        case .gone:
            resync(&writer)
        case .events(let events) where events.isEmpty:
            await wait(&writer, patience: max(.zero, Self.heartbeat - silence(since: start)))
        case .events(let events):
            _ = try await write(events, to: &writer)
        }
    }

    /// Tells the client to read the tasks again, and continues after the newest event.
    private func resync(_ writer: inout EventStreamWriter) {
        cursor = max(cursor, watch.hub.newest)
        writer.append(EventDocument.resync(interest, id: cursor, at: watch.context.now()))
    }

    private func wait(_ writer: inout EventStreamWriter, patience: Duration) async {
        watch.ticker.watchBegins()
        switch await watch.hub.wait(for: interest, after: cursor, bulletin: bulletin, patience: patience) {
        case .news(let after):
            cursor = max(cursor, after)
            let news = watch.hub.news(after: bulletin, for: interest)
            bulletin = news.newest
            for piece in news.pieces { writer.append(piece) }
        case .events(let after):
            cursor = max(cursor, after)
        case .progress(let notes, let after):
            cursor = max(cursor, after)
            for note in notes { writer.append(note.bytes) }
        case .silence(let after):
            cursor = max(cursor, after)
            writer.comment()
        case .over:
            phase = .ended
        }
    }

    // MARK: Writing

    /// Writes the events that match, until the piece is large enough, and advances the position.
    ///
    /// - Returns: True if all events were examined, and more may follow.
    private func write(
        _ events: [StoredEvent], to writer: inout EventStreamWriter
    ) async throws(TaskStoreError) -> Bool {
        for event in events {
            guard writer.bytes.count < Self.pieceBytes else { return false }
            if isWanted(event) {
                // The final progress of an attempt precedes its end.
                if let attempt = event.attempt, let end = watch.ticker.end(of: event.task, attempt: attempt) {
                    writer.append(end)
                }
                writer.append(try await watch.documents.bytes(of: event))
            }
            cursor = event.id
            if isLast(event) {
                phase = .ended
                return false
            }
        }
        return true
    }

    private func isWanted(_ event: StoredEvent) -> Bool {
        switch interest {
        case .task(let id): event.task == id && event.revision > knownRevision && event.kind != .deleted
        case .matching(let filter): filter.matches(event)
        }
    }

    /// Returns true for the last event of a single task's stream: the task is finished or deleted.
    private func isLast(_ event: StoredEvent) -> Bool {
        guard event.task == task else { return false }
        return event.kind == .deleted || event.kind.toldState?.isTerminal == true
    }
}
