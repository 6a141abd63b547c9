import ErrandCookies
import ErrandLocking
import ErrandTransfer
import HTTPTypes

/// A receiver that passes the content of one response to its sink, up to the session's limit, and discards the content
/// of a redirect that is followed, unless hooks decide about it later.
///
/// It stores the cookies of the response when its head comes.
final class HopReceiver: TransferReceiver {
    /// The maximum number of discarded bytes that are still read so that the connection can be reused.
    static let maxDrainedBytes: Int64 = 64 << 10

    private let chain: HopChain
    private let url: HTTPURL
    private let cookies: SessionCookies?
    private let sink: any BodySink
    private let maxBodyBytes: Int64
    private let judgesByStatus: Bool
    private let keepsRedirects: Bool
    private let validation: ContentValidation?
    private let attempt: AttemptControl
    private let observer: AttemptObserver
    private let reporter: ProgressReporter
    /// The mutex only satisfies `Sendable`: the calls of one transfer come one at a time, and the state is read after
    /// the last.
    private let state: Mutex<State>

    private struct State {
        var verdict = RedirectRule.Verdict.response
        var refusal = Refusal.none
        /// The number of decoded bytes received so far.
        var received: Int64 = 0
        /// The limit of the content of this response.
        var maxBodyBytes: Int64
    }

    /// The refusal of the content of a response, because its head is not acceptable.
    private enum Refusal: UInt8 {
        case none
        /// Applies if there is content, which the head did not tell.
        case ofAnyContent
        case byHead
        case byContent
        /// The server does not support the expectation of the request (417).
        case ofExpectation
    }

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - url: The URL of the request as it is sent, from which cookies come.
    ///   - cookies: The cookies of the session; `nil` for a session without them.
    ///   - maxBodyBytes: The limit of content for which the sink has none.
    ///   - judgesByStatus: True if only the status matters, so that the sink has no limit of its own.
    ///   - keepsRedirects: True to pass the content of redirects to the sink too.
    ///   - validation: The rules for responses whose content is received; `nil` for none.
    init(
        _ chain: HopChain, url: HTTPURL, cookies: SessionCookies?, sink: any BodySink, maxBodyBytes: Int64,
        judgesByStatus: Bool, keepsRedirects: Bool, validation: ContentValidation?, attempt: AttemptControl,
        observer: AttemptObserver, reporter: ProgressReporter
    ) {
        self.chain = chain
        self.url = url
        self.cookies = cookies
        self.sink = sink
        self.maxBodyBytes = maxBodyBytes
        self.judgesByStatus = judgesByStatus
        self.keepsRedirects = keepsRedirects
        self.validation = validation
        self.attempt = attempt
        self.observer = observer
        self.reporter = reporter
        state = Mutex(State(maxBodyBytes: maxBodyBytes))
    }

    /// The verdict on the response received.
    var verdict: RedirectRule.Verdict {
        state.withLock { $0.verdict }
    }

    /// Returns the error of a response whose content was not received, because its head is not acceptable.
    func objection(to head: ResponseHead) -> SessionError? {
        guard let validation else { return nil }
        return switch state.withLock({ $0.refusal }) {
        case .none, .ofAnyContent, .ofExpectation: nil
        case .byHead: validation.objection(to: head, hasContent: contentLength(of: head).map { $0 > 0 })
        case .byContent: validation.objection(to: head, hasContent: true)
        }
    }

    /// True if listeners were told of the response: another request was not to follow when its head came.
    var reportsResponse: Bool {
        state.withLock { !$0.verdict.isFollowed && $0.refusal != .ofExpectation }
    }

    /// True if the server does not support the expectation of the request.
    var refusesExpectation: Bool { state.withLock { $0.refusal == .ofExpectation } }

    func transferDidStart(_ control: any TransferControl) {
        // Does not retain `control`, which retains its receiver.
        observer.progress?.transferDidBegin(of: attempt)
        attempt.adopt(control, of: chain.request.url)
    }

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision {
        // Now, and not when the transfer ends: its content may come for hours, and cookies may be removed meanwhile.
        keepCookies(of: head)
        // Over HTTP/2 nothing is expected.
        if head.status == 417, chain.request.expectsContinue, head.version.hasPrefix("1") {
            // Ends the transfer here, because libcurl itself would send the request again.
            state.withLock { $0.refusal = .ofExpectation }
            return .stop(.canceled)
        }
        let verdict = chain.verdict(on: head)
        let limit = judgesByStatus ? maxBodyBytes : sink.maxBytes(of: head) ?? maxBodyBytes
        state.withLock { state in
            state.verdict = verdict
            state.maxBodyBytes = limit
        }
        observer.progress?.responseDidBegin(status: head.status, isFollowed: verdict.isFollowed)
        if case .follow = verdict {
            guard keepsRedirects else { return .proceed }
        } else {
            observer.emit(.responded(head))
        }
        let announced = contentLength(of: head)
        let validation = verdict.isFollowed ? nil : validation
        let objection = validation?.objection(to: head, hasContent: announced.map { $0 > 0 })
        // A sink may need the head of a response with another status, such as that of a range that is complete (416).
        if objection?.code == .unacceptableContentType { return refuse() }
        // Resumes through the attempt's control, which releases the transfer at its end: a transfer retains its
        // receiver, which retains the sink, which retains this closure.
        let decision = sink.begin(head) { [attempt] in attempt.resumeReceiving() }
        if case .stop = decision { return decision }
        if objection != nil { return refuse() }
        if announced == nil, validation?.objection(to: head, hasContent: true) != nil {
            state.withLock { $0.refusal = .ofAnyContent }
        }
        guard let announced, announced > limit else { return .proceed }
        return .stop(.bodyTooLarge(limit: limit))
    }

    private func keepCookies(of head: ResponseHead) {
        guard let cookies else { return }
        let values = head.headers.compactMap { $0.name == .setCookie ? $0.value : nil }
        if !values.isEmpty { cookies.store(values, from: url) }
    }

    private func refuse() -> HeadDecision {
        state.withLock { $0.refusal = .byHead }
        return .stop(.canceled)
    }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        let (isFollowed, received, limit, isRefused) = state.withLock { state in
            state.received += Int64(bytes.byteCount)
            if state.refusal == .ofAnyContent { state.refusal = .byContent }
            var isFollowed = false
            if case .follow = state.verdict { isFollowed = !keepsRedirects }
            return (isFollowed, state.received, state.maxBodyBytes, state.refusal == .byContent)
        }
        if isRefused { return .stop(.canceled) }
        if isFollowed {
            return received > Self.maxDrainedBytes ? .stop(.canceled) : .more
        }
        guard received <= limit else { return .stop(.bodyTooLarge(limit: limit)) }
        reporter.note()
        return sink.append(bytes)
    }

    /// Returns the number of content bytes that will come; `nil` if the head does not state it.
    ///
    /// The length of encoded content says nothing about its decoded size; the response to HEAD and a 304 state the
    /// length of content that does not come (RFC 9110 §8.6).
    private func contentLength(of head: ResponseHead) -> Int64? {
        // The transport has already rejected a head with an invalid length.
        let length = try? head.contentLength(toHEAD: chain.request.method == .head)
        guard length != 0, chain.request.acceptsCompression, head.headers.contains(.contentEncoding) else {
            return length
        }
        return nil
    }
}

extension RedirectRule.Verdict {
    /// True if the response is a redirect that is followed, unless hooks refuse it.
    fileprivate var isFollowed: Bool {
        if case .follow = self { true } else { false }
    }
}
