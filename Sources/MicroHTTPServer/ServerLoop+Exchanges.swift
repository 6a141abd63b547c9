import CMicroHTTPD
import Glibc
import HTTPServer
import HTTPTypes
import Logging

// The way of a request through the server, on the loop's thread: each step asks the exchange's machine, then acts.
extension ServerLoop {
    // MARK: The head

    /// The request line has come.
    ///
    /// `nil` for a connection that is not known, which cannot be.
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
        let verdict: HeadValidator.Verdict
        let plan: ExchangeMachine.Plan
        do throws(ProblemDetails) {
            let head: RequestHead
            (head, verdict) = try judge(exchange, method: String(cString: method), isHTTP10: isHTTP10)
            plan = prepare(exchange, for: handler.admit(head))
        } catch {
            exchange.answer = handler.answer(to: error)
            _ = exchange.machine.headArrived(.refuse, framing: .chunked, expectsContinue: false)
            return queueAnswer(of: exchange, closing: true)
        }
        switch verdict.framing {
        case .none: exchange.connection.clock.requestCompleted(now: now)
        case .length, .chunked: exchange.connection.clock.contentBegan(now: now)
        }
        let action = exchange.machine.headArrived(
            plan, framing: verdict.framing, expectsContinue: verdict.expectsContinue)
        switch action {
        case .proceed, .startHandler:
            return true
        case .queue(let answer):
            choose(answer, for: exchange)
            return queueAnswer(of: exchange, closing: true)
        }
    }

    private func judge(
        _ exchange: Exchange, method: String, isHTTP10: Bool
    ) throws(ProblemDetails) -> (RequestHead, HeadValidator.Verdict) {
        // Before anything else: who is not known learns nothing more.
        let client = try client(of: exchange.connection)
        let limits = configuration.limits
        guard let target = exchange.target else {
            throw ProblemDetails(
                .targetTooLong, detail: "the request target is longer than \(limits.maxTargetBytes) bytes")
        }
        guard cmicrohttpd_head_size(exchange.handle) <= limits.maxHeaderBytes else {
            throw ProblemDetails(
                .headersTooLarge, detail: "the request head is longer than \(limits.maxHeaderBytes) bytes")
        }
        guard let method = HTTPRequest.Method(rawValue: method) else {
            throw ProblemDetails(.malformedRequest, detail: "the method is not a token")
        }
        exchange.method = method
        let validator = HeadCollector.collect(from: exchange.handle)
        let verdict = try validator.verdict(isHTTP10: isHTTP10)
        guard KnownMethods.contains(method) else {
            throw ProblemDetails(.methodNotImplemented, detail: "the method \(method.rawValue) is not known here")
        }
        do throws(RequestTargetError) {
            let target = try RequestTarget(target)
            guard target.path != "*" || method == .options else { throw .notOriginForm }
            return (
                RequestHead(
                    method: method, target: target, headers: validator.fields,
                    remoteAddress: exchange.connection.remoteAddress, clientCertificate: client), verdict
            )
        } catch {
            throw ProblemDetails(.malformedRequest, detail: error.description)
        }
    }

    /// The subject of the client's certificate, where one is required.
    private func client(of connection: ServerConnection) throws(ProblemDetails) -> String? {
        guard configuration.tls?.clientAuthorities != nil, !connection.isLocal else { return nil }
        switch connection.clientCertificate() {
        case .verified(let subject):
            return subject
        case .refused(let reason):
            throw ProblemDetails(.clientCertificateRefused, detail: reason.description)
        }
    }

    /// Keeps what the handler has decided, and starts it when it reads the content as a stream.
    private func prepare(_ exchange: Exchange, for admission: Admission) -> ExchangeMachine.Plan {
        switch admission {
        case .answer(let answer):
            exchange.answer = answer
            return .answer
        case .bodyless(let work):
            exchange.work = .bodyless(work)
            return .bodyless
        case .buffered(let limit, let tooLarge, let work):
            exchange.work = .buffered(tooLarge: tooLarge, work)
            return .buffered(limitBytes: limit)
        case .streamed(let work):
            let (stream, source) = RequestBodyStream.makeStream(
                bufferLimitBytes: configuration.limits.streamBufferBytes,
                onDemand: { [mailbox, weak exchange] in
                    // A handler may hold the stream longer than the exchange lives.
                    if let exchange { mailbox.post(.demand(exchange)) }
                })
            exchange.contentSource = source
            start(exchange) { await work(stream) }
            return .streamed
        }
    }

    private func choose(_ answer: ExchangeMachine.Answer, for exchange: Exchange) {
        guard answer == .tooLarge else { return }
        if case .buffered(let tooLarge, _) = exchange.work {
            exchange.answer = tooLarge
        } else {
            let limit = configuration.limits.maxDroppedBytes
            exchange.answer = handler.answer(
                to: ProblemDetails(
                    .contentTooLarge, detail: "no content is expected here, and more than \(limit) bytes not dropped"))
        }
    }

    // MARK: The content

    /// - Returns: Whether the bytes are taken, and `false` for the second to close the connection.
    func contentArrived(_ exchange: Exchange, bytes: UnsafeRawBufferPointer) -> (taken: Bool, goesOn: Bool) {
        let action = exchange.machine.contentArrived(bytes: bytes.count)
        switch action {
        case .leave:
            return (false, true)
        case .close:
            return (false, false)
        case .refuse(let answer):
            choose(answer, for: exchange)
            if let answer = exchange.answer {
                sendLastWords(answer, on: exchange)
            }
            return (false, false)
        case .drop, .keep, .stream:
            exchange.connection.clock.received(bytes: bytes.count, now: now)
        }
        if action == .keep {
            exchange.content.append(contentsOf: bytes)
        } else if action == .stream, exchange.contentSource?.offer([UInt8](bytes)) == .full,
            exchange.machine.streamFilled()
        {
            exchange.connection.clock.paused(now: now)
            MHD_suspend_connection(exchange.handle)
        }
        return (true, true)
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
            return queueAnswer(of: exchange, closing: false)
        case .startHandler:
            guard case .bodyless(let work) = exchange.work else { return false }
            exchange.work = .none
            MHD_suspend_connection(exchange.handle)
            start(exchange, work)
            return true
        case .handOver:
            return handOver(exchange)
        case .finishStream(let thenQueue):
            exchange.contentSource?.finish()
            guard !thenQueue else { return queueAnswer(of: exchange, closing: false) }
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
        case .now(let answer):
            exchange.machine.replied(now: true)
            exchange.answer = answer
            return queueAnswer(of: exchange, closing: false)
        case .later(let work):
            exchange.machine.replied(now: false)
            MHD_suspend_connection(exchange.handle)
            start(exchange, work)
            return true
        }
    }

    private func start(_ exchange: Exchange, _ work: @escaping @Sendable () async -> ServerResponse) {
        startSoon(exchange) { .answer(exchange, await work()) }
    }

    func answerArrived(_ answer: ServerResponse, for exchange: Exchange) {
        exchange.task = nil
        guard !exchange.machine.isOver else { return }
        exchange.answer = answer
        // The rest of a content that the handler did not want, if it is not too long, is dropped before the answer.
        let resumes = exchange.machine.answerArrived(mayInterrupt: answer.body.isInMemory)
        guard resumes else { return }
        exchange.connection.clock.resumed(now: now)
        MHD_resume_connection(exchange.handle)
    }

    // MARK: The answer

    /// - Returns: `false` to close the connection.
    private func queueAnswer(of exchange: Exchange, closing: Bool) -> Bool {
        guard let answer = exchange.answer else { return false }
        exchange.answer = nil
        let context = ResponseBuilder.Context(method: exchange.method, closes: closing || isDraining)
        do {
            let (status, built) = try response(for: answer, in: context)
            defer { MHD_destroy_response(built.handle) }
            built.stream?.exchange = exchange
            exchange.answerStream = built.stream
            return MHD_queue_response(exchange.handle, UInt32(clamping: status.code), built.handle) == .YES
        } catch {
            logger.error("not even an error can be sent", metadata: ["reason": "\(error)"])
            return false
        }
    }

    /// The answer, or a 500 when it cannot be sent.
    private func response(
        for answer: ServerResponse, in context: ResponseBuilder.Context
    ) throws(ResponseBuilder.Failure) -> (HTTPResponse.Status, ResponseBuilder.Built) {
        do throws(ResponseBuilder.Failure) {
            return (answer.status, try ResponseBuilder.response(for: answer, in: context))
        } catch {
            logger.error(
                "an answer cannot be sent", metadata: ["status": "\(answer.status.code)", "reason": "\(error)"])
            let problem = handler.answer(to: ProblemDetails(.internalError))
            return (problem.status, try ResponseBuilder.response(for: problem, in: context))
        }
    }

    /// - Returns: `false` to close the connection: there will be no bytes.
    func answerRanDry(_ exchange: Exchange) -> Bool {
        guard let stream = exchange.answerStream, exchange.machine.answerRanDry() else { return false }
        MHD_suspend_connection(exchange.handle)
        startSoon(exchange) { [next = stream.source.next] in
            do {
                return .part(exchange, .success(try await next()))
            } catch {
                return .part(exchange, .failure(error))
            }
        }
        return true
    }

    func partArrived(_ part: Result<[UInt8]?, any Error>, for exchange: Exchange) {
        exchange.task = nil
        guard !exchange.machine.isOver else { return }
        if case .failure(let error) = part, !(error is CancellationError) {
            logger.error("a streamed answer has failed", metadata: ["error": "\(error)"])
        }
        exchange.answerStream?.give(part)
        guard exchange.machine.answerFlows() else { return }
        MHD_resume_connection(exchange.handle)
    }

    // MARK: The end

    /// The peer has closed its side, and perhaps both (`isGone`).
    func peerLeft(_ exchange: Exchange, isGone: Bool) {
        guard !isGone, !exchange.machine.isResponding else { return abort(exchange, reason: .clientLeft) }
        // While the content is on its way, its last bytes may have come together with the end of the connection:
        // libmicrohttpd reads on and finds out. Afterwards nobody is waiting for the answer any more, most likely.
        guard !exchange.machine.isReceiving else { return }
        exchange.task?.cancel()
    }

    /// Gives an exchange up: its handler is cancelled and its connection closes.
    func abort(_ exchange: Exchange, reason: RequestBodyError) {
        exchange.contentSource?.fail(reason)
        exchange.task?.cancel()
        guard exchange.machine.abort() else { return }
        // Found by the next read where libmicrohttpd does not call the handler.
        exchange.connection.disconnect()
        MHD_resume_connection(exchange.handle)
    }

    /// The request or its content takes too long.
    func refuseSlow(_ connection: ServerConnection) {
        if let exchange = connection.exchange {
            let problem = ProblemDetails(.requestTimeout, detail: "the request did not arrive in time, or too slowly")
            sendLastWords(handler.answer(to: problem), on: exchange)
            abort(exchange, reason: .tooSlow)
        }
        connection.disconnect()
    }

    private func sendLastWords(_ answer: ServerResponse, on exchange: Exchange) {
        guard let bytes = RawResponse.bytes(of: answer, withContent: exchange.method != .head) else { return }
        exchange.connection.sendLastWords(bytes)
    }

    /// libmicrohttpd is done with the request.
    func endExchange(_ exchange: Exchange) {
        exchange.connection.exchange = nil
        exchange.connection.clock.answerCompleted(now: now)
        exchange.contentSource?.fail(.clientLeft)
        exchange.contentSource = nil
        exchange.task?.cancel()
        exchange.task = nil
        exchange.answerStream = nil
        if exchange.machine.leavesContent {
            linger(exchange.connection)
        }
        exchange.machine.end()
        if exchange.connection.peerLeft || isDraining {
            reconsider(exchange.connection)
        }
    }
}
