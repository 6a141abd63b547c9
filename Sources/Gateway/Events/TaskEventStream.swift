import TaskEvents
import TaskStore

/// One client's stream of events: what he has missed, read from the store, and then what happens, for as long as he
/// stays.
///
/// It makes a piece when the client has taken the one before, and holds nothing but his place in between: a client who
/// does not read costs what an idle one does, and learns by a `resync` that he was too slow.
actor TaskEventStream {
    /// Where a stream begins.
    enum Beginning: Sendable {
        /// With a piece that tells how things are, then what happens after an event.
        case now([UInt8], after: Int64)
        /// With a piece that tells how things are, for ever: nothing will happen any more.
        case last([UInt8])
        /// With what is stored after an event.
        case replay(after: Int64)
    }

    /// How long a client waits before he comes back, in milliseconds.
    static let retryMilliseconds = 2000
    /// How long nothing may happen before a comment: with the second that a wait may take longer, 15 s at most.
    static let heartbeat = Duration.seconds(14)
    /// About how much is made at once.
    private static let pieceBytes = 16 * 1024
    /// How many events are looked at together.
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
    /// Of a task that the client was told of as it is: what came before that revision he knows.
    private let knownRevision: Int64
    private var phase = Phase.beginning
    private var cursor: Int64

    /// Creates a stream.
    ///
    /// - Parameter knownRevision: The revision of the task that the beginning tells of, of a single one.
    init(_ watch: EventWatch, of interest: EventInterest, from beginning: Beginning, knownRevision: Int64 = 0) {
        self.watch = watch
        self.interest = interest
        self.beginning = beginning
        self.knownRevision = knownRevision
        switch beginning {
        case .now(_, let after), .replay(let after): cursor = after
        case .last: cursor = 0
        }
    }

    /// The next piece; `nil` at the end.
    func next() async throws(TaskStoreError) -> [UInt8]? {
        var writer = EventStreamWriter()
        while writer.bytes.isEmpty {
            switch phase {
            case .beginning: begin(&writer)
            case .replaying: try await replay(&writer)
            case .live: try await goOn(&writer)
            case .ended: return nil
            }
        }
        return writer.bytes
    }

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
            // The head of the answer goes out, whether there is anything to tell or not.
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
        // Known before the store is read: what is older is on the page.
        let newest = watch.hub.newest
        let events = try await watch.dispatcher.store.events(after: cursor, task: task, limit: Self.pageSize)
        guard try await write(events, to: &writer) else { return }
        if events.count < Self.pageSize {
            cursor = max(cursor, newest)
            phase = .live
            // Of a task that has gone before, its events have gone too: nothing will follow.
            if let task, try await isGone(task) { phase = .ended }
        }
    }

    private func isGone(_ task: TaskID) async throws(TaskStoreError) -> Bool {
        do {
            return try await watch.dispatcher.store.task(task) == nil
        } catch {
            // One that cannot be read is there.
            guard error.code == .sealed || error.code == .corrupt else { throw error }
            return false
        }
    }

    private var task: TaskID? {
        if case .task(let id) = interest { id } else { nil }
    }

    // MARK: What happens

    private func goOn(_ writer: inout EventStreamWriter) async throws(TaskStoreError) {
        switch watch.hub.events(after: cursor, limit: Self.pageSize) {
        case .gone where task != nil:
            // What a single task has done is in the store.
            phase = .replaying
        case .gone:
            cursor = watch.hub.newest
            writer.append(EventDocument.resync(interest, id: cursor, at: watch.dispatcher.now()))
        case .events(let events) where events.isEmpty:
            await wait(&writer)
        case .events(let events):
            _ = try await write(events, to: &writer)
        }
    }

    private func wait(_ writer: inout EventStreamWriter) async {
        watch.ticker.watchBegins()
        switch await watch.hub.wait(for: interest, after: cursor, patience: Self.heartbeat) {
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

    /// Writes those of the events that the client wants, until the piece is large enough, and moves on behind them.
    ///
    /// - Returns: Whether all of them were looked at, and more may follow.
    private func write(
        _ events: [StoredEvent], to writer: inout EventStreamWriter
    ) async throws(TaskStoreError) -> Bool {
        for event in events {
            guard writer.bytes.count < Self.pieceBytes else { return false }
            if isWanted(event) { writer.append(try await watch.documents.bytes(of: event)) }
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

    /// Nothing follows in the stream of a task that is done, or gone.
    private func isLast(_ event: StoredEvent) -> Bool {
        guard event.task == task else { return false }
        return event.kind == .deleted || event.kind.toldState?.isTerminal == true
    }
}
