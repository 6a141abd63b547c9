public import Transfer

/// A session: requests to one upstream by one set of rules, over one transport.
///
/// Any thread.
///
/// ```swift
/// let session = Session(configuration, transport: transport)
/// let request = try session.prepare(TaskRequest(path: "users/1"))
/// let outcome = await session.run(request, sink: MemorySink())
/// ```
public final class Session: Sendable {
    /// The rules.
    public let configuration: SessionConfiguration

    private let transport: any Transport
    private let builder: RequestBuilder

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: The rules.
    ///   - transport: Who performs the transfers. It has been given the configuration's connection options by whoever
    ///     made it.
    public init(_ configuration: SessionConfiguration, transport: any Transport) {
        self.configuration = configuration
        self.transport = transport
        builder = RequestBuilder(configuration)
    }

    /// The name that tasks refer to the session by.
    public var name: String { configuration.name }

    /// Judges a request by the session's rules and makes what goes to the wire.
    ///
    /// Pure: the same answer at any time.
    ///
    /// - Throws: Everything that is wrong with it.
    public func prepare(_ request: TaskRequest) throws(RequestProblems) -> PreparedRequest {
        try builder.build(request)
    }

    /// Makes one attempt at a prepared request.
    ///
    /// Cancelling the calling Swift task closes the connection at once; the error is ``SessionError/canceled`` then.
    ///
    /// - Parameters:
    ///   - request: Made by ``prepare(_:)``.
    ///   - sink: Where the content goes, up to the configured size. The session finishes or discards it.
    ///   - onStart: Called with the means to steer the transfer when it begins, on the transport's thread.
    /// - Returns: How it ended. Never throws: a failure may have a response and has metrics.
    public func run(
        _ request: PreparedRequest, sink: any BodySink,
        onStart: (@Sendable (any TransferControl) -> Void)? = nil
    ) async -> SessionOutcome {
        let receiver = ResponseReceiver(
            sink: sink, request: request.transfer,
            maxBodyBytes: configuration.response.disposition.maxBodyBytes, onStart: onStart)
        let transfer = await transport.perform(request.transfer, receiver: receiver)
        guard let head = transfer.head else {
            await sink.discard()
            let error = transfer.error.map { SessionError($0) }
            return SessionOutcome(
                error: error ?? SessionError(.internal, "The transfer ended without a response and without an error"),
                metrics: transfer.metrics)
        }
        var outcome = SessionOutcome(
            response: SessionResponse(head: head, url: request.transfer.url, serializer: request.responseSerializer),
            metrics: transfer.metrics)
        if let error = transfer.error {
            await sink.discard()
            outcome.error = SessionError(error)
            return outcome
        }
        do throws(TransferError) {
            let body = try await sink.finish()
            outcome.response?.body = body
            let reader = ResponseReader(request.responseSerializer, configuration.response)
            let reading = try await reader.read(head, body)
            outcome.response?.object = reading.object
            outcome.error = reading.error
        } catch {
            outcome.error = SessionError(error)
        }
        return outcome
    }
}
