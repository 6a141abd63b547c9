import CErrandCurl
import ErrandCompression
import ErrandEventLoop
import ErrandLocking
import ErrandTransfer
import HTTPTypes
import Synchronization

/// One transfer of the engine: connects libcurl's callbacks with the state machine, the receiver, the source and the
/// owner.
///
/// `@unchecked Sendable`: other threads use only constants, atomics and the mailbox. Everything else is used on the
/// loop's thread alone, once ``Command/start(_:)`` has brought the transfer there.
final class CurlTransfer: TransferControl, @unchecked Sendable {
    let pool: PoolID
    let request: TransferRequest
    /// The source of the request's content; `nil` if there is none or it is sent along with the head.
    let source: (any BodySource)?
    /// The receiver of the response; `nil` for a probe.
    let receiver: (any TransferReceiver)?
    private let commands: Mailbox<Command>
    let sent = Atomic<Int64>(0)
    let received = Atomic<Int64>(0)
    /// The announced length of the response's content, or a negative number if unknown.
    let announced = Atomic<Int64>(-1)
    /// The bytes of the response's content before decoding, or a negative number if it is not decoded.
    let encoded = Atomic<Int64>(-1)
    /// The announced length of the response's content before decoding, or a negative number if unknown.
    let announcedOnWire = Atomic<Int64>(-1)

    // MARK: On the loop's thread

    /// The continuation of the caller that awaits the outcome.
    ///
    /// Set before the transfer is sent to the loop.
    var continuation: Continuation<TransferOutcome>?
    /// The handle that runs the transfer while it is attached.
    var easy: CurlEasy?
    /// A Boolean value that indicates whether the transfer may wait for a connection that another transfer is making.
    var mayWaitForConnection = true
    /// A Boolean value that indicates whether the transfer gets a connection that serves no other transfer.
    var needsOwnConnection = false
    /// The state of the connection that the transfer makes or uses.
    var attempt = ConnectionAttempt()
    /// The transfer's index in the engine's table.
    private(set) var slot = 0
    var machine: TransferMachine
    var parser = ResponseHeadParser()
    var head: ResponseHead?
    /// Decodes the content if it has a content coding that the request offered.
    var decoder: ContentDecoder?
    /// The number of bytes already decoded of the piece that libcurl has paused.
    var decodedOfPiece = 0
    private(set) var state: LoopState?
    /// The HTTP/2 stream that the request was last sent over, if any.
    var stream: HTTP2Stream?
    /// The amount of content taken in the current turn.
    var share = TurnShare()
    /// A Boolean value that indicates whether the transfer is paused until the next turn.
    var isYielding = false
    private var startedAt = MonotonicInstant.now
    private var attachedAt: MonotonicInstant?
    var requestSentAt: MonotonicInstant?
    /// The number of content bytes that libcurl had sent when the timeouts were last checked.
    var lastUploaded: Int64 = 0
    private var isSourceOpen = false
    private var outcome: TransferOutcome?

    init(
        pool: PoolID, request: TransferRequest, receiver: (any TransferReceiver)?, commands: Mailbox<Command>
    ) {
        var request = request
        // If HEAD sent content, libcurl would wait for that of the response, which never comes.
        if request.method == .head { request.body = .none }
        self.pool = pool
        self.request = request
        self.receiver = receiver
        self.commands = commands
        source = MessageShape.source(of: request.body)
        machine = TransferMachine(timeouts: request.timeouts, mayResend: request.mayResend)
    }

    // MARK: Control, any thread

    func resumeReceiving() {
        commands.post(.resumeReceiving(self))
    }

    func resumeSending() {
        commands.post(.resumeSending(self))
    }

    func suspend() {
        commands.post(.suspend(self))
    }

    func resume() {
        commands.post(.resume(self))
    }

    func cancel() {
        commands.post(.cancel(self))
    }

    /// A Boolean value that indicates whether only a connection is wanted and no request is sent.
    var isProbe: Bool { receiver == nil }

    var progress: TransferProgress {
        let announced = announced.load(ordering: .relaxed)
        let encoded = encoded.load(ordering: .relaxed)
        let announcedOnWire = announcedOnWire.load(ordering: .relaxed)
        return TransferProgress(
            sent: sent.load(ordering: .relaxed), sendTotal: contentLength, received: received.load(ordering: .relaxed),
            receiveTotal: announced < 0 ? nil : announced, receivedOnWire: encoded < 0 ? nil : encoded,
            receiveTotalOnWire: announcedOnWire < 0 ? nil : announcedOnWire)
    }

    /// The length of the request's content; `nil` if unknown.
    var contentLength: Int64? {
        switch request.body {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }
}

// MARK: - Life cycle

extension CurlTransfer {
    /// Starts the transfer in the loop, as number `slot` of its table.
    func begin(in state: LoopState, slot: Int) -> TransferMachine.Action {
        self.state = state
        self.slot = slot
        startedAt = state.now
        let action = machine.start(at: state.now)
        if action == .attach { receiver?.transferDidStart(self) }
        return action
    }

    /// Ends a transfer that the loop refuses to start.
    func refuse(_ error: TransferError) {
        _ = machine.cancel(error)
        finish(nil, metrics: TransferMetrics())
        deliver()
    }

    /// Passes an event from outside libcurl to the state machine.
    func decide(
        _ event: (inout TransferMachine, MonotonicInstant) -> TransferMachine.Action
    ) -> TransferMachine.Action {
        event(&machine, state?.now ?? .now)
    }

    /// Prepares the transfer for being attached to libcurl.
    func willAttach() {
        attachedAt = state?.now
        attempt = ConnectionAttempt()
        parser.reset()
        if let source, !isSourceOpen {
            isSourceOpen = true
            // Weak, because the transfer owns the source.
            source.begin { [weak self] in self?.resumeSending() }
        }
    }

    /// Closes the source after the transfer was detached from libcurl, temporarily or for good.
    func didDetach() {
        guard isSourceOpen else { return }
        isSourceOpen = false
        source?.end()
    }

    /// Checks the timeouts.
    ///
    /// - Parameter now: The time at which the sockets were last read.
    func checkTime(at now: MonotonicInstant) -> TransferMachine.Action {
        // Content that libcurl took from the source at once may still be on its way out of libcurl's buffer.
        let uploaded = easy?.uploaded ?? 0
        defer { lastUploaded = uploaded }
        return machine.checkTime(at: now, lastKnownActivity: uploaded > lastUploaded ? now : nil)
    }

    /// The directions that must be paused, not counting a pause until the next turn.
    var pausedDirections: TransferDirections { machine.pausedDirections }

    /// Schedules the next check of the timeouts if it is earlier than the one planned.
    func armDeadline() {
        guard let state, let next = machine.nextDeadline else { return }
        if let planned = state.transferDeadlines[slot], planned <= next { return }
        state.transferDeadlines.set(next, for: slot)
    }

    /// Ends the transfer from within a libcurl callback whose result cannot report an error.
    func failOutsideCallback(_ error: TransferError) {
        if machine.cancel(error) == .end { state?.endingTransfers.append(self) }
    }

    /// Ends the transfer; no callback is invoked afterwards.
    ///
    /// The outcome is kept until ``deliver()``.
    ///
    /// - Parameters:
    ///   - failure: The error with which libcurl gave up, if it did.
    ///   - metrics: The measurements, except those that only the transfer knows.
    func finish(_ failure: TransferError?, metrics: TransferMetrics) {
        guard !machine.isOver else { return }
        didDetach()
        let now = MonotonicInstant.now
        var metrics = metrics
        metrics.total = startedAt.duration(to: now)
        metrics.suspended = machine.suspendedTime(at: now)
        var error = machine.finish(failure)
        // A request refused unprocessed counts as not sent for callers that decide about sending it again.
        if machine.isUnprocessed { metrics.bytesSent = 0 }
        if let handshake = attempt.handshake, !handshake.wasAnswered, error?.isAboutClientCertificate == true {
            // A peer that rejected our certificate has not processed the data behind it.
            error?.mayHaveArrived = false
        }
        if let requestSentAt { metrics.requestSent = startedAt.duration(to: requestSentAt) }
        var outcome = TransferOutcome(head: head, error: error, metrics: metrics)
        outcome.hasOnlyWaited = error?.code == .timedOut && !attempt.hasBegun && !machine.wasSent
        self.outcome = outcome
        // Receivers may keep the transfer, so it releases everything that belongs to a connection.
        stream = nil
        attempt = ConnectionAttempt()
    }

    /// Resumes the caller that awaits the outcome.
    func deliver() {
        guard let outcome else { return }
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    /// Returns the error with which libcurl ended the attached transfer; `nil` if it succeeded.
    func error(of result: CURLcode) -> TransferError? {
        if hasWholeResponse(after: result) { return decoder?.missingEnd.map(undecodable) }
        if result == CURLE_OUT_OF_MEMORY, head == nil, machine.mayHaveArrived { return Self.headLineTooLong }
        if result == CURLE_RECV_ERROR, easy?.isErrorText(Self.textOfLongTrailer) == true {
            return Self.trailerLineTooLong
        }
        if result != CURLE_OK {
            return unprocessed ?? connectionFailure(of: result) ?? floodFailure
                ?? easy.flatMap { TransferError(proxyOf: $0.handle, result) } ?? unreachable(result)
                ?? TransferError(responseOf: result, wasSent: machine.mayHaveArrived)
                ?? TransferError(result, mayHaveArrived: machine.mayHaveArrived)
        }
        // A response without a final (non-1xx) head is an error.
        let isComplete = isProbe || head != nil
        guard isComplete else { return TransferError(CURLE_GOT_NOTHING, mayHaveArrived: machine.mayHaveArrived) }
        if wasCut {
            let reason =
                stream?.wasReset == true
                ? "The peer reset the stream before the end of the response"
                : "The connection was ended before the end of the response: the peer violated HTTP/2"
            return TransferError(.connectionLost, reason, mayHaveArrived: true)
        }
        return decoder?.missingEnd.map(undecodable)
    }

    /// The error for an out-of-memory code before there is a head: the response exceeded a limit of libcurl.
    private static let headLineTooLong = TransferError(
        .cannotParseResponse, "A line in the head of the response is longer than 100 KiB", mayHaveArrived: true)

    /// The text with which libcurl describes a trailer line of chunked content that exceeds its limit.
    ///
    /// The code is that of a lost connection, as which the line is reported if another version words it differently.
    private static let textOfLongTrailer = "Out of memory in chunked-encoding"

    /// The error of a trailer line that exceeds the limit of libcurl (`DYN_H1_TRAILER`).
    private static let trailerLineTooLong = TransferError(
        .cannotParseResponse, "A line in the trailers of the response is longer than 4 KiB", mayHaveArrived: true)

    /// The error of a request that the peer provably did not process.
    private var unprocessed: TransferError? {
        guard wasNotProcessed(isResent: false) else { return nil }
        machine.didProveUnprocessed()
        return TransferError(.connectionLost, "The peer closed the connection before it processed the request")
    }

    /// Returns the error of a host to which no connection could be made; `nil` for other failures.
    ///
    /// Behind a proxy it is not known whether the host or the proxy is the cause, unless no route leads to the proxy or
    /// this machine itself has refused to connect to it.
    private func unreachable(_ result: CURLcode) -> TransferError? {
        guard let easy else { return nil }
        let systemError = attempt.failures.cause(after: easy.systemError)
        guard !easy.hasProxy else { return TransferError(connectingToProxy: result, systemError: systemError) }
        return TransferError(connectingTo: request, result, systemError: systemError)
    }

    /// The error of a connection that ``FloodWatch`` shut down.
    private var floodFailure: TransferError? {
        guard let state, let easy, state.watch.hasEnded(localPort: Int(ccurl_transfer_port(easy.handle))) else {
            return nil
        }
        return TransferError(
            .connectionLost, "The connection was ended: the peer sent more than 1 MiB outside of any response")
    }

    /// A Boolean value that indicates whether a connection existed to send the request over.
    var hasHadConnection: Bool { machine.wasSent }

    /// The metrics that libcurl has measured; empty while the transfer is detached.
    var metrics: TransferMetrics {
        guard let easy else { return TransferMetrics() }
        let offset = attachedAt.map { startedAt.duration(to: $0) } ?? .zero
        var metrics = TransferMetrics(of: easy.handle, offset: offset, isInline: source == nil)
        metrics.tls = attempt.handshake?.metrics
        return metrics
    }
}
