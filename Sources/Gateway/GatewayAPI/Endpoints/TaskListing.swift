import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskStore

/// A page of the task list, as sent to the client.
///
/// A small page is sent at once. A large page is streamed in pieces: the next tasks are read from the store when the
/// client has received the previous ones, so that a thousand clients that do not read cost little memory. A task that
/// changes in the meantime is shown as it is when its piece is read.
actor TaskListing {
    private let tasks: TaskService
    /// The members of each task.
    private let members: TaskMembers
    /// The query as the client gave it, for the token of the next page.
    private let given: TaskQuery
    /// The query for the rest of the page.
    private var query: TaskQuery
    /// The first piece, until it is sent.
    private var first: [UInt8]?
    private var end: PageEnd?
    private var hasBegun = false
    private var bytesPerTask = 1024

    /// The end of the page.
    private struct PageEnd {
        var next: PageToken?
    }

    /// The approximate size of a piece; a page of up to twice this size is sent at once.
    private static let pieceBytes = 64 * 1024
    /// The maximum number of tasks per read.
    private static let batch = 100

    init(_ tasks: TaskService, query: TaskQuery, members: TaskMembers) {
        self.tasks = tasks
        given = query
        self.query = members.narrowing(query)
        self.members = members
    }

    /// Returns the response, after reading its first tasks.
    func response() async throws(TaskStoreError) -> ServerResponse {
        query = try await tasks.narrowedToHold(query)
        let piece = try await read(atMost: 2 * Self.pieceBytes)
        guard end == nil else { return ServerResponse(json: piece) }
        first = piece
        var response = ServerResponse(json: [])
        var stream = ResponseStream { try await self.next() }
        stream.firstPartBytes = piece.count
        response.body = .stream(stream)
        return response
    }

    private func next() async throws(TaskStoreError) -> [UInt8]? {
        if let piece = first.take() { return piece }
        return end == nil ? try await read(atMost: Self.pieceBytes) : nil
    }

    /// Returns the next tasks as JSON text, including the start and the end of the document.
    private func read(atMost bytes: Int) async throws(TaskStoreError) -> [UInt8] {
        var batch = query
        let likely = hasBegun ? max(1, bytes / bytesPerTask) : Self.batch
        batch.pageSize = min(query.pageSize, Self.batch, likely)
        batch.sufficientBytes = bytes
        let isFirst = !hasBegun
        // After the response has begun it is too late for a 503 status.
        var piece = try await tasks.page(batch, isBegun: hasBegun) { [services = tasks.services, members] page in
            TaskListPiece(of: page, isFirst: isFirst, atMost: bytes) { record in
                var writer = JSONWriter()
                let live = services.liveState(of: record, showing: members)
                TaskRenderer.write(record, live: live, view: .listed, members: members, to: &writer)
                return writer.bytes
            }
        }
        hasBegun = true
        if piece.count > 0 { bytesPerTask = max(1, piece.text.count / piece.count) }
        query.pageSize -= piece.count
        if let last = piece.last { query.start(after: last.id, finishedAt: last.finishedAt) }
        if !piece.hasMore || query.pageSize == 0 {
            let next = piece.hasMore ? query.after : nil
            end = PageEnd(next: next.map { PageToken(last: $0, finishedAt: query.afterEnd, query: given) })
            piece.text += Self.tail(next: end?.next)
        }
        return piece.text
    }

    private static func tail(next: PageToken?) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(next?.description)
        return Array(#"],"next_page_token":"#.utf8) + writer.bytes + [UInt8(ascii: "}")]
    }
}
