import ErrandBodyFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes

/// A sink whose content clients can follow while it is received.
protocol FollowedSink: BodySink {
    /// The content that is being received, if some of it has arrived and its response can be a success.
    var followed: (spool: BodySpool, contentType: String?)? { get }
}

/// A sink that writes a response's content to the gateway's body files.
final class SpoolSink: FollowedSink {
    private let storage: ContentStorage
    private let id: TaskID
    private let limit: ContentLimit
    /// The request of the attempt, and the session that sends it; `nil` if the content is not that of a response.
    private let origin: (request: PreparedRequest, session: Session)?
    private let state = Mutex(State())

    private struct State {
        var spool: BodySpool?
        var head: ResponseHead?
        /// True if content has arrived.
        var hasContent = false
    }

    /// Creates a sink.
    ///
    /// - Parameter origin: The request, and the session that sends it; `nil` for content that was received elsewhere.
    init(
        _ storage: ContentStorage, id: TaskID, limit: ContentLimit, of origin: (PreparedRequest, Session)? = nil
    ) {
        self.storage = storage
        self.id = id
        self.limit = limit
        self.origin = origin
    }

    /// Returns the size limit, by which the attempt ends the transfer.
    func maxBytes(of head: ResponseHead) -> Int64? { limit.maxBytes(of: head) }

    func begin(resume: @escaping @Sendable () -> Void) { begin(nil, resume) }

    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        begin(head, resume)
        return .proceed
    }

    /// Begins to receive content whose incomplete file may be kept.
    ///
    /// - Parameters:
    ///   - head: The head of the response; `nil` if there is none.
    ///   - maxBytes: The size limit of the whole content; `nil` if the attempt ends the transfer.
    ///   - keeper: The place of the incomplete file, if it may be kept; `nil` for an ordinary one.
    ///   - kept: The content that is continued; `nil` for none.
    ///   - resume: Called when there is room again.
    func begin(
        _ head: ResponseHead?, maxBytes: Int64? = nil, keptAt keeper: (any KeptBodyPlace)? = nil,
        continuing kept: KeptBody? = nil, _ resume: @escaping @Sendable () -> Void
    ) {
        let spool = storage.bodies.spool(
            for: id, maxBytes: maxBytes, keptAt: keeper, continuing: kept, resume: resume)
        state.withLock { $0 = State(spool: spool, head: head) }
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        let (spool, isFirst) = state.withLock { state in
            defer { state.hasContent = true }
            return (state.spool, !state.hasContent)
        }
        // Content before `begin` is a transport error.
        guard let spool else { return .stop(TransferError(.transportError, "Content without a response")) }
        let decision = spool.append(bytes)
        if isFirst { storage.watchers.contentDidBegin(of: id) }
        return decision
    }

    /// The content that is being received.
    ///
    /// The content of a response that fails is not followed: another attempt may succeed.
    var followed: (spool: BodySpool, contentType: String?)? {
        let (spool, head) = state.withLock { $0.hasContent ? ($0.spool, $0.head) : (nil, nil) }
        guard let spool, let head, let origin,
            origin.request.isAcceptable(head, under: origin.session.configuration.response)
        else { return nil }
        return (spool, head.headers[.contentType])
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        guard let spool = state.withLock({ $0.spool }) else { return .empty }
        let spooled = try await spool.finish()
        let content: ReceivedBody.Content =
            switch spooled.location {
            case .inline(let bytes): .bytes(bytes)
            case .file: .stored(SpooledContent(bodies: storage.bodies, id: id, size: spooled.size))
            }
        return ReceivedBody(size: spooled.size, sha256: spooled.sha256, content: content)
    }

    func discard() async {
        await state.withLock { $0.spool }?.discard()
    }

    /// Ends the content although it is incomplete, as ``BodySpool/keep()``.
    func keep() async -> KeptBody? {
        await state.withLock { $0.spool }?.keep()
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
