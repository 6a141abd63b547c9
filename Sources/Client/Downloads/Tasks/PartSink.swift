import ErrandLocking
import ErrandSessionCore
import ErrandTransfer

/// The sink of one part of a download, which writes it at its place in the partial file.
///
/// The transport's thread calls ``append(_:)``, which never waits for the disk, like ``Download``.
final class PartSink: BodySink {
    private let download: Download
    private let number: Int
    private let state = Mutex(State())

    private struct State {
        var buffer = ContentBuffer()
        /// True if the content belongs into the file.
        var isWriting = false
        /// The number of bytes of an unsuccessful response.
        var dropped = 0
        var resume: (@Sendable () -> Void)?
    }

    /// The maximum number of bytes of an unsuccessful response that are received so that the connection can be reused.
    private static let maxDropped = 64 << 10

    /// Creates the sink of a part.
    init(_ part: DownloadParts.Part, of download: Download) {
        self.download = download
        number = part.number
    }

    /// Does nothing: a part decides by the head.
    func begin(resume: @escaping @Sendable () -> Void) {}

    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        let action = download.begin(head, ofPart: number)
        state.withLock { $0 = State(resume: resume) }
        switch action {
        case .write:
            state.withLock { $0.isWriting = true }
            return .proceed
        case .drop:
            return .proceed
        case .stop:
            return .stop(.canceled)
        }
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        let isWriting = state.withLock { state in
            if !state.isWriting { state.dropped += bytes.byteCount }
            return state.dropped <= Self.maxDropped ? state.isWriting : nil
        }
        guard let isWriting else { return .stop(.canceled) }
        guard isWriting else { return .more }
        guard download.received(bytes: bytes.byteCount, ofPart: number) else { return .stop(.canceled) }
        let (decision, piece) = state.withLock { $0.buffer.append(bytes) }
        if let piece { download.later { self.write(piece) } }
        return decision
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        await flush()
        return .empty
    }

    func discard() async {
        await flush()
    }

    /// Writes what was received, at the end of a response.
    private func flush() async {
        await download.onQueue {
            let rest = self.state.withLock { $0.buffer.takeRest() }
            if !rest.isEmpty { self.write(rest) }
        }
    }

    // MARK: On the queue

    private func write(_ first: [UInt8]) {
        var next: [UInt8]? = first
        while let piece = next {
            guard download.write(piece, ofPart: number) else {
                let resume = state.withLock { $0.buffer.drop() ? $0.resume : nil }
                resume?()
                return
            }
            let (more, resume) = state.withLock { state -> ([UInt8]?, (@Sendable () -> Void)?) in
                guard let more = state.buffer.didWrite() else { return (nil, nil) }
                return (more, state.resume)
            }
            next = more
            resume?()
        }
    }
}
