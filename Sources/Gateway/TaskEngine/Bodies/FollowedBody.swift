import ErrandBodyFiles
import ErrandTaskStore
import ErrandTransfer

/// The body of a running task, as one client follows it.
///
/// It is the content of one response only. A piece is read when the client has taken the previous one, so that a slow
/// client delays nothing and holds no content. The end is told only when the task has succeeded with this content.
package actor FollowedBody {
    /// The most bytes of a piece.
    static let pieceBytes = 64 << 10
    /// The interval at which a wait for the end is renewed.
    private static let renewal = Duration.seconds(60)

    /// The media type of the content; `nil` if the response has none.
    package nonisolated let contentType: String?
    private let id: TaskID
    private let context: TaskContext
    private let reader: SpoolReader
    private let admission: BodyFollowers.Admission
    private var first: [UInt8]?
    private var offset: Int64

    /// Creates a body of which the first piece was read.
    init(
        of id: TaskID, contentType: String?, reader: SpoolReader, first: [UInt8], admission: BodyFollowers.Admission,
        context: TaskContext
    ) {
        self.id = id
        self.contentType = contentType
        self.reader = reader
        self.first = first
        self.admission = admission
        self.context = context
        offset = Int64(first.count)
    }

    /// Returns the next bytes, and waits for them; `nil` if the content is complete and the task has succeeded with it.
    ///
    /// - Throws: `CancellationError` if the content is not the body of the task: the attempt or the task has failed, or
    ///   the client has left. ``BodyFilesError`` if the content cannot be read.
    package func next() async throws -> [UInt8]? {
        if let piece = first {
            first = nil
            return piece
        }
        let piece: [UInt8]?
        do {
            piece = try await reader.read(at: offset, maxBytes: Self.pieceBytes)
        } catch is TransferError {
            // The task says why its attempt has failed.
            throw CancellationError()
        }
        guard let piece else {
            try await untilSuccess()
            return nil
        }
        offset += Int64(piece.count)
        return piece
    }

    /// Waits until the task has succeeded with this content.
    private func untilSuccess() async throws {
        while true {
            guard let record = try await context.task(id) else { throw CancellationError() }
            switch record.state {
            case .succeeded:
                guard let body = record.result.body, body.size == offset,
                    reader.sha256.map({ $0 == body.sha256 }) ?? false
                else { throw CancellationError() }
                return
            case .running, .suspended, .canceling:
                break
            case .scheduled, .queued, .waiting, .failed, .canceled:
                throw CancellationError()
            }
            let context = context
            // Ends with an error when the client leaves, and when the gateway closes.
            try await context.watchers.wait(
                for: id, until: .changed(from: record.revision), timeout: Self.renewal
            ) {
                // A read that fails now does not end the wait.
                try? await context.task(record.id)
            }
        }
    }
}
