import ErrandBodyFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTaskStore
import ErrandTransfer

/// A sink that writes a response's content to the gateway's body files.
final class SpoolSink: BodySink {
    private let bodies: BodyFiles
    private let id: TaskID
    private let limit: ContentLimit
    private let spool = Mutex<BodySpool?>(nil)

    /// Creates a sink.
    init(bodies: BodyFiles, id: TaskID, limit: ContentLimit) {
        self.bodies = bodies
        self.id = id
        self.limit = limit
    }

    /// Returns the size limit, by which the attempt ends the transfer.
    func maxBytes(of head: ResponseHead) -> Int64? { limit.maxBytes(of: head) }

    func begin(resume: @escaping @Sendable () -> Void) {
        spool.withLock { $0 = bodies.spool(for: id, maxBytes: nil, resume: resume) }
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        // Content before `begin` is a transport error.
        spool.withLock { $0 }?.append(bytes) ?? .stop(TransferError(.transportError, "Content without a response"))
    }

    /// Stores content that was received elsewhere, instead of that of a response.
    func store(_ bytes: [UInt8]) async throws(TransferError) -> ReceivedBody {
        begin {}
        _ = spool.withLock { $0 }?.append(bytes: bytes)
        return try await finish()
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        guard let spool = spool.withLock({ $0 }) else { return .empty }
        let spooled = try await spool.finish()
        let content: ReceivedBody.Content =
            switch spooled.location {
            case .inline(let bytes): .bytes(bytes)
            case .file: .stored(SpooledContent(bodies: bodies, id: id, size: spooled.size))
            }
        return ReceivedBody(size: spooled.size, sha256: spooled.sha256, content: content)
    }

    func discard() async {
        await spool.withLock { $0 }?.discard()
    }
}

/// Content in a body file.
private struct SpooledContent: StoredContent {
    let bodies: BodyFiles
    let id: TaskID
    let size: Int64

    func load() async throws(TransferError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try await bodies.read(id, maxBytes: Int(clamping: size))
        } catch {
            throw TransferError(.cannotWrite, "The stored content could not be read back")
        }
        guard Int64(bytes.count) == size else {
            throw TransferError(.cannotWrite, "The stored content is incomplete")
        }
        return bytes
    }
}
