import CCurl
import HTTPTypes
import Synchronization
import Transfer

/// One transfer of the engine: the machine that decides, between libcurl's callbacks on one side and the receiver, the
/// source and the owner on the other.
///
/// `@unchecked Sendable`: what other threads use is constant, atomic or the command queue; everything else is touched on
/// the loop's thread alone, once ``Command/start(_:)`` has brought the transfer there.
final class CurlTransfer: TransferControl, @unchecked Sendable {
    /// What a callback of libcurl is answered about content of the response.
    enum ReceiveAnswer {
        case taken
        case held
        case refused
    }

    /// What a callback of libcurl is answered about content of the request.
    enum SendAnswer {
        case provided(Int)
        case held
        case failed
    }

    let pool: PoolID
    let request: TransferRequest
    /// Where content of the request is read from, unless it goes along with the head.
    let source: (any BodySource)?
    /// Who takes the response; `nil` for a probe, which has none.
    private let receiver: (any TransferReceiver)?
    private let commands: CommandQueue
    private let sent = Atomic<Int64>(0)
    private let received = Atomic<Int64>(0)
    /// The response's length as announced, or a negative number.
    private let announced = Atomic<Int64>(-1)

    // MARK: On the loop's thread

    /// Who waits for the end.
    ///
    /// Set before the transfer is sent to the loop.
    var continuation: CheckedContinuation<TransferOutcome, Never>?
    /// The handle that runs the transfer, while libcurl has it.
    var easy: CurlEasy?
    /// Whether the transfer may wait for a connection that another one is making.
    var mayWaitForConnection = true
    /// What is known of the connection that the transfer makes or uses.
    var attempt = ConnectionAttempt()
    /// The transfer's number in the engine's table.
    private(set) var slot = 0
    private var machine: TransferMachine
    private var parser = ResponseHeadParser()
    private var head: ResponseHead?
    private var state: LoopState?
    private var startedAt = MonotonicInstant.now
    private var attachedAt: MonotonicInstant?
    private var requestSentAt: MonotonicInstant?
    private var lastUploaded: Int64 = 0
    private var isSourceOpen = false
    private var outcome: TransferOutcome?

    init(
        pool: PoolID, request: TransferRequest, receiver: (any TransferReceiver)?, commands: CommandQueue
    ) {
        self.pool = pool
        self.request = request
        self.receiver = receiver
        self.commands = commands
        source = MessageShape.source(of: request.body)
        machine = TransferMachine(timeouts: request.timeouts, mayResend: request.mayResend)
    }

    // MARK: Control, any thread

    func resumeReceiving() {
        commands.append(.resumeReceiving(self))
    }

    func resumeSending() {
        commands.append(.resumeSending(self))
    }

    func suspend() {
        commands.append(.suspend(self))
    }

    func resume() {
        commands.append(.resume(self))
    }

    func cancel() {
        commands.append(.cancel(self))
    }

    /// Whether there is nothing to send: only the connection is wanted.
    var isProbe: Bool { receiver == nil }

    var progress: TransferProgress {
        let announced = announced.load(ordering: .relaxed)
        return TransferProgress(
            sent: sent.load(ordering: .relaxed), sendTotal: contentLength, received: received.load(ordering: .relaxed),
            receiveTotal: announced < 0 ? nil : announced)
    }

    private var contentLength: Int64? {
        switch request.body {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }
}

// MARK: - Life

extension CurlTransfer {
    /// The loop has taken the transfer up, as number `slot` of its table.
    func begin(in state: LoopState, slot: Int) -> TransferMachine.Action {
        self.state = state
        self.slot = slot
        startedAt = state.now
        let action = machine.start(at: state.now)
        if action == .attach { receiver?.transferDidStart(self) }
        return action
    }

    /// The loop does not take the transfer up.
    func refuse(_ error: TransferError) {
        _ = machine.cancel(error)
        finish(nil, metrics: TransferMetrics())
        deliver()
    }

    /// Lets the machine decide on something that came from outside of libcurl.
    func decide(
        _ event: (inout TransferMachine, MonotonicInstant) -> TransferMachine.Action
    ) -> TransferMachine.Action {
        event(&machine, state?.now ?? .now)
    }

    /// libcurl is about to get the transfer.
    func willAttach() {
        attachedAt = state?.now
        attempt = ConnectionAttempt()
        parser.reset()
        if let source, !isSourceOpen {
            isSourceOpen = true
            // Weak: the transfer holds the source.
            source.begin { [weak self] in self?.resumeSending() }
        }
    }

    /// libcurl has the transfer no more, for the time being or for good.
    func didDetach() {
        guard isSourceOpen else { return }
        isSourceOpen = false
        source?.end()
    }

    /// Looks at the limits of time.
    func checkTime() -> TransferMachine.Action {
        guard let state else { return .none }
        // Content that libcurl took from its source in one piece may still be on its way out of libcurl's buffer.
        let uploaded = easy?.uploaded ?? 0
        defer { lastUploaded = uploaded }
        return machine.checkTime(at: state.now, lastKnownActivity: uploaded > lastUploaded ? state.now : nil)
    }

    /// Has the limits of time looked at when the next may be reached, if that is earlier than planned.
    func armDeadline() {
        guard let state, let next = machine.nextDeadline else { return }
        if let planned = state.transferDeadlines[slot], planned <= next { return }
        state.transferDeadlines.set(next, for: slot)
    }

    /// Ends the transfer from within a callback of libcurl that has no answer for that.
    func failOutsideCallback(_ error: TransferError) {
        if machine.cancel(error) == .end { state?.endingTransfers.append(self) }
    }

    /// Ends the transfer: nothing is called any more.
    ///
    /// The outcome waits for ``deliver()``.
    ///
    /// - Parameters:
    ///   - failure: Why libcurl gave up, if it did.
    ///   - metrics: What was measured, but for what only the transfer knows.
    func finish(_ failure: TransferError?, metrics: TransferMetrics) {
        guard !machine.isOver else { return }
        didDetach()
        let now = MonotonicInstant.now
        var metrics = metrics
        metrics.total = startedAt.duration(to: now)
        metrics.suspended = machine.suspendedTime(at: now)
        var error = machine.finish(failure)
        if let handshake = attempt.handshake, !handshake.wasAnswered, error?.isAboutClientCertificate == true {
            // A peer that never was content with our certificate has not looked at what came behind it.
            error?.mayHaveArrived = false
        }
        if let requestSentAt { metrics.requestSent = startedAt.duration(to: requestSentAt) }
        outcome = TransferOutcome(head: head, error: error, metrics: metrics)
        // Receivers may keep the transfer; it keeps nothing of a connection.
        attempt = ConnectionAttempt()
    }

    /// Gives the outcome to who waits for it.
    func deliver() {
        guard let outcome else { return }
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    /// Why libcurl gave the transfer up, while it has it; `nil` when it had no reason to.
    func error(of result: CURLcode) -> TransferError? {
        if result == CURLE_OUT_OF_MEMORY, head?.headers[.contentEncoding] != nil {
            // One read of compressed content has become more than libcurl keeps for a receiver that pauses: 64 MiB.
            return TransferError(
                .bodyTooLarge, "The content of the answer became too large when it was decoded",
                mayHaveArrived: machine.mayHaveArrived)
        }
        if result != CURLE_OK {
            return connectionFailure(of: result)
                ?? easy.flatMap { TransferError(proxyOf: $0.handle, result) }
                ?? TransferError(result, mayHaveArrived: machine.mayHaveArrived)
        }
        // Nothing but 1xx, or nothing at all, is no answer.
        let isComplete = isProbe || head != nil
        return isComplete ? nil : TransferError(CURLE_WEIRD_SERVER_REPLY, mayHaveArrived: machine.mayHaveArrived)
    }

    /// Whether there was a connection to send the request over.
    var hasHadConnection: Bool { machine.mayHaveArrived }

    /// What libcurl has measured, while it has the transfer.
    var metrics: TransferMetrics {
        guard let easy else { return TransferMetrics() }
        let offset = attachedAt.map { startedAt.duration(to: $0) } ?? .zero
        var metrics = TransferMetrics(of: easy.handle, offset: offset, isInline: source == nil)
        metrics.tls = attempt.handshake?.metrics
        return metrics
    }
}

// MARK: - Callbacks of libcurl

extension CurlTransfer {
    /// There is a connection, and the request is about to be sent.
    ///
    /// - Returns: Whether it may be.
    func willSend() -> Bool {
        // A probe stays without a request, and nothing of it may have arrived.
        if isProbe { return true }
        guard let state else { return false }
        // The work that led here may have begun long before: many transfers start in one piece of it.
        state.readTime()
        if let events = easy?.events { settleSockets(in: events) }
        if let refusal = judgeConnection() {
            _ = machine.cancel(refusal)
            return false
        }
        guard machine.willSend(at: state.now) else { return false }
        parser.reset()
        requestSentAt = nil
        if source == nil, let content = request.body.bytes {
            sent.store(Int64(content.count), ordering: .relaxed)
        }
        armDeadline()
        return true
    }

    /// A line of a head has come.
    ///
    /// - Returns: Whether to go on.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let state, let receiver else { return false }
        switch parser.consume(line.bindMemory(to: UInt8.self).span) {
        case .more:
            return true
        case .failed(let error):
            return machine.didReceiveHead(.stop(error), at: state.now)
        case .head(let head) where head.status == 407 && easy?.goesToProxy(request.url) == true:
            return machine.didReceiveHead(.stop(.proxyAuthenticationFailed), at: state.now)
        case .head(let head):
            self.head = head
            attempt.handshake?.wasAnswered = true
            announced.store(announcedLength(head), ordering: .relaxed)
            let decision = receiver.transferDidReceive(head)
            return machine.didReceiveHead(decision, at: state.now)
        }
    }

    /// A piece of content has come.
    func receiveContent(_ piece: UnsafeRawBufferPointer) -> ReceiveAnswer {
        guard let state, let receiver else { return .refused }
        guard machine.mayDeliver() else { return .held }
        received.store(received.load(ordering: .relaxed) + Int64(piece.count), ordering: .relaxed)
        let decision = receiver.transferDidReceive(piece.bytes)
        return machine.didReceive(decision, at: state.now) ? .taken : .refused
    }

    /// There is room for content of the request.
    func provideContent(_ room: UnsafeMutableRawBufferPointer) -> SendAnswer {
        guard let state, let source else { return .failed }
        let before = sent.load(ordering: .relaxed)
        let left = source.length.map { $0 - before } ?? .max
        guard left > 0 else { return contentIsSent(at: state.now) }
        let room = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Int(min(left, Int64(room.count)))))
        var span = OutputRawSpan(buffer: room, initializedCount: 0)
        var answer = source.read(into: &span)
        let count = span.finalize(for: room)
        if count > 0 {
            sent.store(before + Int64(count), ordering: .relaxed)
            answer = .bytes
        }
        switch answer {
        case .end where source.length != nil:
            answer = .failed(TransferError(.transportError, "The content ended before its length"))
        case .bytes where count == 0:
            answer = .failed(TransferError(.transportError, "The source of the content gave nothing"))
        case .bytes, .pause, .end, .failed:
            break
        }
        guard machine.didSend(answer, at: state.now) else { return .failed }
        switch answer {
        case .bytes: return .provided(count)
        case .pause: return .held
        case .end: return contentIsSent(at: state.now)
        case .failed: return .failed
        }
    }

    private func contentIsSent(at now: MonotonicInstant) -> SendAnswer {
        requestSentAt = requestSentAt ?? now
        return .provided(0)
    }

    /// The content is to be sent again from its beginning.
    func rewindContent() -> Bool {
        guard let source else { return true }
        guard source.rewind() else { return false }
        sent.store(0, ordering: .relaxed)
        return true
    }

    /// The length of the content that will be delivered, where the head tells it; -1 where not.
    private func announcedLength(_ head: ResponseHead) -> Int64 {
        if request.method == .head || head.status == 204 || head.status == 304 { return 0 }
        if request.acceptsCompression, head.headers.contains(.contentEncoding) { return -1 }
        let field = head.headers.first { $0.name == .contentLength }
        return field.flatMap { Int64($0.value) } ?? -1
    }
}
