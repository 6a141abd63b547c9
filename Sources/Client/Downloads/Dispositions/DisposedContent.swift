import ErrandLocking
import ErrandSessionCore
import ErrandTransfer

/// The attempts of a task whose response becomes a stream or a download, as a closure decides.
///
/// The first response that can be streamed is decided about; until then, responses are received as those of a stream.
final class DisposedContent: TaskAttempts, BodySink {
    let stream: StreamedContent
    private let response: ResponseConfiguration
    private let decide: @Sendable (ResponseHead) -> ResponseDisposition
    private let state = Mutex(State())

    private struct State {
        var request: PreparedRequest?
        var download: Download?
    }

    /// Creates the content of a request.
    ///
    /// - Parameters:
    ///   - configuration: The rules of the session for responses.
    ///   - decide: Called once, on the transport's thread; must not block.
    init(
        _ request: TaskRequest, _ configuration: ResponseConfiguration,
        _ decide: @escaping @Sendable (ResponseHead) -> ResponseDisposition
    ) {
        stream = StreamedContent(request, configuration)
        var response = configuration
        response.acceptableStatuses = request.acceptableStatuses ?? configuration.acceptableStatuses
        self.response = response
        self.decide = decide
    }

    /// The download that the response has become.
    var download: Download? {
        state.withLock { $0.download }
    }

    // MARK: Attempts

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
        return await stream.conclude(outcome, isCanceled: isCanceled)
    }

    func didComplete(_ outcome: SessionOutcome) {
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
            let download = Download(to: destination, options, resuming: nil, response)
            let request = state.withLock { state in
                state.download = download
                return state.request
            }
            if let request { download.adopt(request) }
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
