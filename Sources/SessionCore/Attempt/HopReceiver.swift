import HTTPTypes
import Locking
import Transfer

/// Passes the content of one response to its sink, as long as it is not more than the session takes, and drops that of
/// a redirect which is followed.
final class HopReceiver: TransferReceiver {
    /// The most content of a redirect that is read so that its connection can be used again.
    static let maxDrainedBytes: Int64 = 64 << 10

    private let chain: HopChain
    private let sink: any BodySink
    private let maxBodyBytes: Int64
    private let attempt: AttemptControl
    private let observer: AttemptObserver
    private let reporter: ProgressReporter
    /// For the type's sake: the calls of one transfer come one at a time, and it is read after the last.
    private let state = Mutex(State())

    private struct State {
        var verdict = RedirectRule.Verdict.response
        /// Decoded bytes so far.
        var received: Int64 = 0
    }

    init(
        _ chain: HopChain, sink: any BodySink, maxBodyBytes: Int64, attempt: AttemptControl, observer: AttemptObserver,
        reporter: ProgressReporter
    ) {
        self.chain = chain
        self.sink = sink
        self.maxBodyBytes = maxBodyBytes
        self.attempt = attempt
        self.observer = observer
        self.reporter = reporter
    }

    /// What becomes of the response that came.
    var verdict: RedirectRule.Verdict {
        state.withLock { $0.verdict }
    }

    func transferDidStart(_ control: any TransferControl) {
        // Nothing is kept of it here: it holds its receiver, and may for as long as it lives.
        attempt.adopt(control)
    }

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision {
        let verdict = chain.verdict(on: head)
        state.withLock { $0.verdict = verdict }
        if case .follow = verdict { return .proceed }
        observer.emit(.responded(head))
        // By the attempt's control, which lets go of the transfer at its end; the transfer holds its receiver, that the
        // sink, and the sink this.
        sink.begin { [attempt] in attempt.resumeReceiving() }
        guard let announced = contentLength(of: head), announced > maxBodyBytes else { return .proceed }
        return .stop(tooLarge)
    }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        let (isFollowed, received) = state.withLock { state in
            state.received += Int64(bytes.byteCount)
            if case .follow = state.verdict { return (true, state.received) }
            return (false, state.received)
        }
        if isFollowed {
            return received > Self.maxDrainedBytes ? .stop(.canceled) : .more
        }
        guard received <= maxBodyBytes else { return .stop(tooLarge) }
        reporter.note()
        return sink.append(bytes)
    }

    /// How many bytes of content will come; `nil` when the head does not say.
    ///
    /// The length of coded content says nothing about what is decoded of it; the answer to HEAD and a 304 have the
    /// length of content that does not come (RFC 9110 §8.6).
    private func contentLength(of head: ResponseHead) -> Int64? {
        guard chain.request.method != .head, head.status != 204, head.status != 304 else { return nil }
        if chain.request.acceptsCompression, head.headers.contains(.contentEncoding) { return nil }
        return head.headers.first { $0.name == .contentLength }.flatMap { Int64($0.value) }
    }

    private var tooLarge: TransferError {
        TransferError(.bodyTooLarge, "The response has more than \(maxBodyBytes) bytes of content")
    }
}
