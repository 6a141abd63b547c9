import CErrandMicroHTTPD
import ErrandEventLoop
import ErrandHTTPServer
import Glibc
import HTTPTypes
import Logging

// The steps of a request through the server, on the loop's thread: each step asks the exchange's machine, then acts.
extension ServerLoop {
    // MARK: The head

    /// Creates the exchange of a request whose request line was received.
    ///
    /// Returns `nil` for an unknown connection, which cannot occur.
    func beginExchange(target: UnsafePointer<CChar>?, handle: OpaquePointer) -> Exchange? {
        guard let context = cmicrohttpd_socket_context(handle) else { return nil }
        let connection = Unmanaged<ServerConnection>.fromOpaque(context).takeUnretainedValue()
        let length = target.map { strlen($0) } ?? 0
        let text = length <= configuration.limits.maxTargetBytes ? target.map { String(cString: $0) } ?? "" : nil
        let exchange = Exchange(
            loop: self, connection: connection, handle: handle, target: text,
            machine: ExchangeMachine(maxDroppedBytes: configuration.limits.maxDroppedBytes))
        connection.began(exchange, now: now)
        return exchange
    }

    /// - Returns: `false` to close the connection.
    func headArrived(_ exchange: Exchange, method: UnsafePointer<CChar>, isHTTP10: Bool) -> Bool {
        exchange.isHTTP10 = isHTTP10
        let verdict: HeadValidator.Verdict
        let plan: ExchangeMachine.Plan
        do throws(ProblemDetails) {
            var head: RequestHead
            (head, verdict) = try judge(exchange, method: String(cString: method), isHTTP10: isHTTP10)
            exchange.requestID = handler.requestID(of: head)
            head.requestID = exchange.requestID
            let disposition = handler.admit(head, route: &exchange.report.route)
            plan = prepare(exchange, for: disposition, framing: verdict.framing)
        } catch {
            exchange.response = handler.response(to: exchange.locating(error))
            _ = exchange.machine.headArrived(.refuse, framing: .chunked, expectsContinue: false)
            return queueResponse(of: exchange, closing: true)
        }
        switch verdict.framing {
        case .none: exchange.connection.clock.requestCompleted(now: now)
        case .length, .chunked: exchange.connection.clock.contentBegan(isStreamed: plan == .streamed, now: now)
        }
        let action = exchange.machine.headArrived(
            plan, framing: verdict.framing, expectsContinue: verdict.expectsContinue)
        switch action {
        case .proceed, .startHandler:
            return true
        case .queue(let response):
            choose(response, for: exchange)
            return queueResponse(of: exchange, closing: true)
        }
    }

    private func judge(
        _ exchange: Exchange, method: String, isHTTP10: Bool
    ) throws(ProblemDetails) -> (RequestHead, HeadValidator.Verdict) {
        // This check comes first, so that an unauthenticated client learns nothing else.
        let client = try client(of: exchange.connection)
        guard exchange.connection.hasJudgedRequest else {
            // A request that reached libmicrohttpd in another way was not validated.
            logger.critical("Request rejected: it was read without validation")
            throw ProblemDetails(.internalError)
        }
        let limits = configuration.limits
        guard let target = exchange.target else {
            throw ProblemDetails(
                .targetTooLong, detail: RequestFault.targetTooLong(limitBytes: limits.maxTargetBytes))
        }
        guard cmicrohttpd_head_size(exchange.handle) <= limits.maxHeaderBytes else {
            throw ProblemDetails(
                .headersTooLarge, detail: "the request head is longer than \(limits.maxHeaderBytes) bytes")
        }
        guard let method = HTTPRequest.Method(rawValue: method) else {
            throw ProblemDetails(.malformedRequest, detail: RequestFault.methodIsNoToken)
        }
        exchange.method = method
        exchange.report.method = method
        let validator = HeadCollector.collect(from: exchange.handle)
        let verdict = try validator.verdict(isHTTP10: isHTTP10)
        guard KnownMethods.contains(method) else {
            throw ProblemDetails(.methodNotImplemented, detail: "the method \(method.rawValue) is not implemented")
        }
        do throws(RequestTargetError) {
            let target = try RequestTarget(target)
            guard target.path != "*" || method == .options else { throw .notOriginForm }
            return (
                RequestHead(
                    method: method, target: target, headers: validator.fields,
                    remoteAddress: exchange.connection.remoteAddress, clientCertificate: client,
                    acceptsChunks: !isHTTP10), verdict
            )
        } catch {
            throw ProblemDetails(.malformedRequest, detail: error.description)
        }
    }

    /// Returns the subject of the client's certificate, if one is required.
    private func client(of connection: ServerConnection) throws(ProblemDetails) -> String? {
        guard credentials?.verifiesClients == true, !connection.isLocal else { return nil }
        switch connection.clientCertificate() {
        case .verified(let subject):
            return subject
        case .refused(let reason):
            throw ProblemDetails(.clientCertificateRefused, detail: reason.description)
        }
    }

    /// Stores the handler's decision, and starts the handler if it reads the content as a stream.
    private func prepare(
        _ exchange: Exchange, for disposition: RequestDisposition, framing: RequestFraming
    ) -> ExchangeMachine.Plan {
        switch disposition {
        case .changed(let inner, _):
            exchange.changes = exchange.changes ?? disposition
            return prepare(exchange, for: inner, framing: framing)
        case .immediate(let response):
            exchange.response = exchange.changing(response)
            return .immediate
        case .deferred(let work):
            exchange.work = .deferred(work)
            return .deferred
        case .buffered(let limit, let tooLarge, let work):
            if case .length(let length) = framing, length <= UInt64(clamping: limit), !contents.allows(Int(length)) {
                exchange.response = exchange.changing(overloaded("the contents of other requests", exchange))
                return .refuse
            }
            exchange.work = .buffered(tooLarge: tooLarge, work)
            return .buffered(limitBytes: limit)
        case .streamed(let work):
            let (stream, source) = RequestBodyStream.makeStream(
                bufferLimitBytes: configuration.limits.streamBufferBytes,
                onDemand: { [mailbox, weak exchange] in
                    // A handler may keep the stream longer than the exchange lives.
                    if let exchange { mailbox.post(.demand(exchange)) }
                })
            exchange.contentSource = source
            start(exchange) { await work(stream) }
            return .streamed
        }
    }

    private func choose(_ response: ExchangeMachine.Response, for exchange: Exchange) {
        guard response == .tooLarge else { return }
        if case .buffered(let tooLarge, _) = exchange.work {
            exchange.response = exchange.changing(tooLarge(), isObserved: false)
        } else {
            let limit = configuration.limits.maxDroppedBytes
            let problem = ProblemDetails(
                .contentTooLarge, detail: "no content is expected here; at most \(limit) bytes are ignored")
            exchange.response = exchange.changing(
                handler.response(to: exchange.locating(problem)), isObserved: false)
        }
    }

    // MARK: The content

    /// - Returns: `taken` is true if the bytes are taken; `goesOn` is `false` to close the connection.
    func contentArrived(_ exchange: Exchange, bytes: UnsafeRawBufferPointer) -> (taken: Bool, goesOn: Bool) {
        let action = exchange.machine.contentArrived(bytes: bytes.count)
        switch action {
        case .leave:
            return (false, true)
        case .close:
            return (false, false)
        case .refuse(let response):
            choose(response, for: exchange)
            if let response = exchange.response {
                sendLastWords(response, on: exchange)
            }
            return (false, false)
        case .drop, .keep, .stream:
            exchange.connection.clock.received(bytes: bytes.count, now: now)
        }
        if action == .keep {
            guard keep(bytes, of: exchange) else { return (false, false) }
        } else if action == .stream {
            stream(bytes, of: exchange)
        }
        return (true, true)
    }

    /// Passes bytes to the handler's stream, and suspends the connection if it is full.
    private func stream(_ bytes: UnsafeRawBufferPointer, of exchange: Exchange) {
        guard let source = exchange.contentSource else { return }
        // The end of the connection comes after all that the client has sent, and shows whether that is the whole
        // content. No more than the socket holds can still come.
        if exchange.connection.peerLeft { source.liftUnreadLimit() }
        // The rest of a whole request is in libmicrohttpd's memory already, and its end comes without a wait.
        guard source.offer([UInt8](bytes)) == .full, !exchange.connection.hasWholeRequest,
            exchange.machine.streamFilled()
        else { return }
        exchange.connection.clock.paused(now: now)
        MHD_suspend_connection(exchange.handle)
    }

    /// - Returns: `false` if the memory limit is exceeded: the connection closes after a 503.
    private func keep(_ bytes: UnsafeRawBufferPointer, of exchange: Exchange) -> Bool {
        guard contents.allows(exchange.heldBytes + bytes.count, held: exchange.heldBytes) else {
            exchange.machine.refuseContent()
            sendLastWords(exchange.changing(overloaded("the contents of other requests", exchange)), on: exchange)
            return false
        }
        contents.take(bytes.count)
        exchange.heldBytes += bytes.count
        exchange.content.append(contentsOf: bytes)
        return true
    }

    /// Releases the buffered content of a request.
    func releaseContent(of exchange: Exchange) {
        guard exchange.heldBytes > 0 else { return }
        contents.giveBack(exchange.heldBytes)
        freed(exchange.heldBytes)
        exchange.heldBytes = 0
    }

    func overloaded(_ holding: String, _ exchange: Exchange) -> ServerResponse {
        var response = handler.response(
            to: exchange.locating(
                ProblemDetails(
                    .overloaded, detail: "the server has reached its memory limit for \(holding); try again later")))
        response.headers[.retryAfter] = "1"
        return response
    }

    func contentWanted(by exchange: Exchange) {
        guard exchange.machine.streamDrained() else { return }
        exchange.connection.clock.resumed(now: now)
        MHD_resume_connection(exchange.handle)
    }

    // MARK: The handler

    /// - Returns: `false` to close the connection.
    func requestCompleted(_ exchange: Exchange) -> Bool {
        let action = exchange.machine.requestCompleted()
        exchange.connection.clock.requestCompleted(now: now)
        switch action {
        case .close:
            return false
        case .queue:
            return queueResponse(of: exchange, closing: false)
        case .startHandler:
            guard case .deferred(let work) = exchange.work else { return false }
            exchange.work = .none
            MHD_suspend_connection(exchange.handle)
            start(exchange, work)
            return true
        case .handOver:
            return handOver(exchange)
        case .finishStream(let thenQueue):
            exchange.contentSource?.finish()
            guard !thenQueue else { return queueResponse(of: exchange, closing: false) }
            MHD_suspend_connection(exchange.handle)
            return true
        }
    }

    private func handOver(_ exchange: Exchange) -> Bool {
        guard case .buffered(_, let work) = exchange.work else { return false }
        exchange.work = .none
        let content = exchange.content
        exchange.content = []
        switch work(content) {
        case .immediate(let response):
            releaseContent(of: exchange)
            exchange.machine.replied(now: true)
            exchange.response = exchange.changing(response)
            return queueResponse(of: exchange, closing: false)
        case .deferred(let work):
            exchange.machine.replied(now: false)
            MHD_suspend_connection(exchange.handle)
            start(exchange, work)
            return true
        }
    }

    private func start(_ exchange: Exchange, _ work: @escaping @Sendable () async -> ServerResponse) {
        startSoon(exchange) { [changes = exchange.changes] in
            var response = await work()
            changes?.applyChanges(to: &response)
            return .response(exchange, response)
        }
    }

    func responseArrived(_ response: ServerResponse, for exchange: Exchange) {
        exchange.task = nil
        releaseContent(of: exchange)
        guard !exchange.machine.isOver else { return }
        exchange.response = response
        // What the handler did not read would stay in memory for as long as the client takes to send the rest.
        if exchange.machine.isReceiving { exchange.contentSource?.discard() }
        // If short, the rest of content that the handler did not read is dropped before the response.
        let resumes = exchange.machine.responseArrived(mayInterrupt: response.body.isInMemory)
        guard resumes else { return }
        exchange.connection.clock.resumed(now: now)
        MHD_resume_connection(exchange.handle)
    }

    // MARK: The end

    /// Called when the peer has closed its sending side, and perhaps both sides (`isGone`).
    func peerLeft(_ exchange: Exchange, isGone: Bool) {
        guard !isGone else { return abort(exchange, reason: .clientLeft) }
        guard !exchange.machine.isResponding else {
            // A stream may have no end, or wait long for its next part: then nothing else shows that the client has
            // left. Other responses run on: such a client resets the connection when it receives more of them.
            if exchange.streamedResponse != nil { abort(exchange, reason: .clientLeft) }
            return
        }
        // While content is expected, its last bytes may have arrived together with the end of the connection:
        // libmicrohttpd reads on and detects it, also if the handler does not read yet. Later, the client most likely
        // no longer waits for the response.
        guard !exchange.machine.isReceiving else {
            if exchange.contentSource?.liftUnreadLimit() == true { contentWanted(by: exchange) }
            return
        }
        exchange.task?.cancel()
    }

    /// Aborts an exchange: its handler is canceled and its connection closes.
    func abort(_ exchange: Exchange, reason: RequestBodyError) {
        exchange.contentSource?.fail(reason)
        exchange.task?.cancel()
        guard exchange.machine.abort() else { return }
        // The next read detects this if libmicrohttpd does not call the handler.
        exchange.connection.disconnect()
        MHD_resume_connection(exchange.handle)
    }

    /// Called when libmicrohttpd has finished with the request.
    ///
    /// - Parameter isComplete: `false` if the connection closes because the response was not sent as a whole.
    func endExchange(_ exchange: Exchange, isComplete: Bool) {
        exchange.connection.exchange = nil
        noteEnd(of: exchange, isComplete: isComplete)
        if !isComplete || exchange.endsWithConnection {
            exchange.connection.finish()
            reconsider(exchange.connection)
        }
        exchange.connection.clock.responseCompleted(now: now)
        exchange.contentSource?.fail(.clientLeft)
        exchange.contentSource = nil
        releaseResponse(of: exchange)
        // A running handler still uses the content until it notices that the client has disconnected.
        if exchange.task == nil { releaseContent(of: exchange) }
        exchange.content = []
        exchange.task?.cancel()
        exchange.task = nil
        exchange.changes = nil
        exchange.streamedResponse = nil
        if exchange.machine.leavesContent {
            linger(exchange.connection)
        }
        exchange.machine.end()
        if exchange.connection.peerLeft || isDraining || exchange.connection.stream.problem != nil {
            reconsider(exchange.connection)
        }
    }
}
