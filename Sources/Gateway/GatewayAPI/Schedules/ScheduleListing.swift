import ErrandHTTPServer
import ErrandLocking
import ErrandTaskEngine
import ErrandTaskStore

/// The list of schedules, as sent to the client.
///
/// A short list is sent at once. A long one is streamed in pieces: the next schedules are rendered when the client has
/// received the previous ones, so that clients that do not read cost little memory. A schedule that changes in the
/// meantime is shown as it is when its piece is made.
final class ScheduleListing: Sendable {
    private let scheduler: Scheduler
    private let caller: Caller
    /// Returns the text of a schedule.
    private let render: @Sendable (Schedule) -> [UInt8]
    private let state = Mutex(State())

    private struct State {
        /// The first piece, until it is sent.
        var first: [UInt8]?
        var cursor = Cursor()
    }

    /// The position in the list up to which there are pieces.
    private struct Cursor {
        /// The name of the last schedule before it; `nil` at the beginning.
        var last: String?
        /// True if the list has a schedule before it.
        var hasItems = false
        /// True behind the end of the document.
        var isEnd = false
    }

    /// The size of a piece, unless a schedule is larger; a list of up to twice this size is sent at once.
    private static let pieceBytes = ResponseBody.maxSmallBytes
    /// The maximum number of schedules that are taken from the scheduler at a time.
    private static let batch = 100
    private static let head = Array(#"{"schedules":["#.utf8)
    private static let tail = Array("]}".utf8)

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - caller: The client, who gets the schedules of the visible sessions.
    ///   - render: Returns the text of a schedule.
    init(of scheduler: Scheduler, for caller: Caller, render: @escaping @Sendable (Schedule) -> [UInt8]) {
        self.scheduler = scheduler
        self.caller = caller
        self.render = render
    }

    /// Returns the response, after rendering its first schedules.
    ///
    /// - Throws: An error if the client has left.
    func response() async throws(CancellationError) -> ServerResponse {
        let piece = try await piece(atMost: 2 * Self.pieceBytes)
        let isWhole = state.withLock { state in
            if !state.cursor.isEnd { state.first = piece }
            return state.cursor.isEnd
        }
        guard !isWhole else { return ServerResponse(json: piece) }
        var response = ServerResponse(json: [])
        var stream = ResponseStream {
            try await withTaskExecutorPreference(BatchExecutor.shared) { try await self.next() }
        }
        stream.firstPartBytes = piece.count
        response.body = .stream(stream)
        return response
    }

    /// Returns the next piece; `nil` at the end.
    private func next() async throws(CancellationError) -> [UInt8]? {
        let (first, isEnd) = state.withLock { state in (state.first.take(), state.cursor.isEnd) }
        if let first { return first }
        guard !isEnd else { return nil }
        return try await piece(atMost: Self.pieceBytes)
    }

    /// Returns the next schedules as JSON text, including the start and the end of the document.
    private func piece(atMost bytes: Int) async throws(CancellationError) -> [UInt8] {
        var cursor = state.withLock { $0.cursor }
        let text = try await text(from: &cursor, atMost: bytes)
        let end = cursor
        state.withLock { $0.cursor = end }
        return text
    }

    /// Returns the schedules behind a cursor as JSON text, and moves the cursor behind them.
    private func text(from cursor: inout Cursor, atMost bytes: Int) async throws(CancellationError) -> [UInt8] {
        var text = cursor.last == nil ? Self.head : []
        // At least one schedule, so that each piece makes progress.
        var isFirst = true
        while let page = scheduler.page(after: cursor.last, limit: Self.batch) {
            for schedule in page.schedules {
                guard !Task.isCancelled else { throw CancellationError() }
                if caller.sees(session: schedule.record.session) {
                    let item = render(schedule)
                    // With a comma, and the end of the document.
                    guard isFirst || text.count + 1 + item.count + Self.tail.count <= bytes else { return text }
                    if cursor.hasItems { text.append(UInt8(ascii: ",")) }
                    text += item
                    cursor.hasItems = true
                    isFirst = false
                }
                cursor.last = schedule.record.name
                // Lets batches and other lists run in between.
                await Task.yield()
            }
            cursor.last = page.last
        }
        cursor.isEnd = true
        return text + Self.tail
    }
}
