import ErrandLocking
import ErrandSessionCore
import ErrandTransfer

/// The attempts of a task whose response becomes a stream or a download, as a closure decides.
///
/// The first response that can be streamed is decided about; until then, responses are received as those of a stream. A
/// response that another request could follow, such as a redirect, is held; if it is the last, and acceptable, it is
/// decided about at its end.
final class DisposedContent: TaskAttempts, BodySink {
    let stream: StreamedContent
    /// The request, which also accepts the part for which a resumed download asks.
    let request: TaskRequest
    /// The rules for the responses of a download.
    private let response: ResponseConfiguration
    private let decide: @Sendable (ResponseHead) -> ResponseDisposition
    private let state = Mutex(State())

    private struct State {
        /// The current attempt, until its response has become a download.
        var attempt: RunningAttempt?
        var request: PreparedRequest?
        var download: Download?
    }

    /// Creates the content of a request.
    ///
    /// - Parameters:
    ///   - configuration: The rules of the session for responses.
    ///   - decide: Called once, on the transport's thread, or at the end of a held response on any; must not block.
    init(
        _ request: TaskRequest, rules configuration: ResponseConfiguration,
        decide: @escaping @Sendable (ResponseHead) -> ResponseDisposition
    ) {
        stream = StreamedContent(request, configuration)
        let statuses = (request.acceptableStatuses ?? configuration.acceptableStatuses).withParts
        var (accepting, response) = (request, configuration)
        accepting.acceptableStatuses = statuses
        response.acceptableStatuses = statuses
        self.request = accepting
        self.response = response
        self.decide = decide
    }

    /// The download that the response has become.
    var download: Download? {
        state.withLock { $0.download }
    }

    // MARK: Attempts

    func willBegin(_ attempt: RunningAttempt) {
        guard let download else { return state.withLock { $0.attempt = attempt } }
        download.willBegin(attempt)
    }

    func next(
        _ request: PreparedRequest
    ) async throws(SessionError) -> (request: PreparedRequest, sink: any BodySink) {
        if let download { return try await download.next(request) }
        state.withLock { $0.request = request }
        return (request, self)
    }

    func conclude(
        _ outcome: SessionOutcome, isCanceled: @escaping @Sendable () -> Bool
    ) async -> SessionOutcome {
        if let download { return await download.conclude(outcome, isCanceled: isCanceled) }
        let isLast = outcome.error == nil && !outcome.mayRestart && !isCanceled()
        guard isLast, !stream.hasHead, let response = outcome.response else {
            return await stream.conclude(outcome, isCanceled: isCanceled)
        }
        // A part (206) that no download has asked for is as acceptable as the program says.
        if let objection = stream.objection(to: response) {
            var outcome = outcome
            outcome.error = objection
            return outcome
        }
        switch decide(response.head) {
        case .allow:
            return await stream.conclude(outcome, isCanceled: isCanceled)
        case .cancel:
            var outcome = outcome
            outcome.error = Self.refusal
            return outcome
        case .download(let destination, let options):
            let download = await write(response, to: destination, options)
            return await download.conclude(outcome, isCanceled: isCanceled)
        }
    }

    /// Writes the content of a held response to a file.
    private func write(
        _ response: SessionResponse, to destination: DownloadDestination, _ options: DownloadOptions
    ) async -> Download {
        let download = download(to: destination, options)
        _ = download.begin(response.head) {}
        if case .bytes(let bytes) = response.body?.content { _ = download.append(bytes.span.bytes) }
        do throws(TransferError) {
            _ = try await download.finish()
        } catch {
            // The download has recorded the failure, which is its conclusion.
        }
        stream.divert()
        return download
    }

    /// Creates the download that the response becomes.
    private func download(to destination: DownloadDestination, _ options: DownloadOptions) -> Download {
        let download = Download(
            to: destination, options: options.withValidConnections, resuming: nil, rules: response)
        let (request, attempt) = state.withLock { state in
            state.download = download
            defer { state.attempt = nil }
            return (state.request, state.attempt)
        }
        if let request { download.adopt(request, of: attempt) }
        return download
    }

    private static let refusal = SessionError(.canceled, "The program has refused the response")

    func progress(of transfer: TransferProgress) -> TransferProgress {
        download?.progress(of: transfer) ?? transfer
    }

    func didComplete(_ outcome: SessionOutcome) {
        // The attempt refers to its control and its task, which refer to this content.
        state.withLock { $0.attempt = nil }
        download?.didComplete(outcome)
        stream.didComplete(outcome)
    }

    // MARK: Content

    func begin(resume: @escaping @Sendable () -> Void) {
        // The head decides: the transport calls the other method.
    }

    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        if let download { return download.begin(head, resume: resume) }
        guard stream.mayStream(head) else { return stream.begin(head, resume: resume) }
        switch decide(head) {
        case .allow:
            return stream.begin(head, resume: resume)
        case .cancel:
            return .stop(TransferError(.canceled, "The program has refused the response"))
        case .download(let destination, let options):
            let download = download(to: destination, options)
            let decision = download.begin(head, resume: resume)
            stream.divert()
            return decision
        }
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        if let download { return download.append(bytes) }
        return stream.append(bytes)
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        if let download { return try await download.finish() }
        return try await stream.finish()
    }

    func discard() async {
        if let download { return await download.discard() }
        await stream.discard()
    }
}
