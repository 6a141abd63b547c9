import ErrandBodyFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTaskStore
import ErrandTransfer

/// A sink that writes a response's content to the gateway's body files.
final class SpoolSink: BodySink {
    private let bodies: BodyFiles
    private let id: TaskID
    private let maxBytes: Int64
    private let failing: FailureLimit?
    private let spool = Mutex<BodySpool?>(nil)

    /// The limit of responses that fail by their status.
    struct FailureLimit: Sendable {
        /// The statuses of success.
        let statuses: StatusSet
        /// The maximum number of content bytes of other responses.
        let maxBytes: Int64
    }

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - maxBytes: The maximum number of content bytes.
    ///   - failing: A lower limit for responses that fail. Default: `nil`, the same.
    init(bodies: BodyFiles, id: TaskID, maxBytes: Int64, failing: FailureLimit? = nil) {
        self.bodies = bodies
        self.id = id
        self.maxBytes = maxBytes
        self.failing = failing
    }

    func begin(resume: @escaping @Sendable () -> Void) {
        begin(maxBytes: maxBytes, resume)
    }

    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        let limit = failing.map { $0.statuses.contains(head.status) ? maxBytes : min(maxBytes, $0.maxBytes) }
        begin(maxBytes: limit ?? maxBytes, resume)
        return .proceed
    }

    private func begin(maxBytes: Int64, _ resume: @escaping @Sendable () -> Void) {
        spool.withLock { $0 = bodies.spool(for: id, maxBytes: maxBytes, resume: resume) }
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
