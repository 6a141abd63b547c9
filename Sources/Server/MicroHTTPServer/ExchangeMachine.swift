import ErrandHTTPServer

/// The state machine of one request and its response, without I/O: events in, actions out.
///
/// libmicrohttpd calls its handler once after the head, then for each part of the content, then when all of it has been
/// received. A response can be queued at the first and at the last of these calls; a response at the first one costs
/// the connection. In between, and while a handler works, the connection may be suspended. The machine records the
/// phase of the exchange and whether the connection is suspended, so that it is resumed exactly once.
struct ExchangeMachine: Sendable {
    /// The way in which the content and the request are processed.
    enum Plan: Sendable, Equatable {
        /// The head is unacceptable: respond and close.
        case refuse
        /// The response is already available.
        case immediate
        /// The handler is called when the request is complete; content is dropped.
        case deferred
        /// The content is collected, then passed to the handler.
        case buffered(limitBytes: Int)
        /// The content is passed to the handler as it arrives.
        case streamed
    }

    /// The response to send.
    enum Response: Sendable, Equatable {
        /// The response that is stored in the exchange.
        case own
        /// The rejection of content that is too large.
        case tooLarge
    }

    private enum State: Equatable {
        /// The head is arriving. Exits: `receiving`, `responding`, `ended`.
        case head
        /// The head is accepted, and content or the call that ends it is awaited. Exits: `handling`, `responding`,
        /// `refused`, `ended`.
        case receiving
        /// The request is complete and the handler works. Exits: `responding`, `ended`.
        case handling
        /// The response is queued. Exit: `ended`.
        case responding
        /// The response was sent without libmicrohttpd in the middle of the content; the connection is closing. Exit:
        /// `ended`.
        case refused
        /// The exchange is over. No exit.
        case ended
    }

    private let maxDroppedBytes: Int
    private var state = State.head
    private var plan = Plan.refuse
    private var receivedBytes = 0
    /// The bytes of content that may still arrive after the handler has responded without reading them.
    private var dropLimitBytes = 0
    private var hasResponse = false
    private(set) var isSuspended = false
    private(set) var isAborted = false
    /// True if the connection closes while unread content is still on its way.
    private(set) var leavesContent = false

    init(maxDroppedBytes: Int) {
        self.maxDroppedBytes = maxDroppedBytes
    }

    /// True if the exchange continues only when more of the request arrives.
    var waitsForPeer: Bool { (state == .head || state == .receiving) && !isSuspended }
    /// True if the head is still incomplete.
    var awaitsHead: Bool { state == .head }
    /// True if content may still arrive.
    var isReceiving: Bool { state == .receiving }
    /// True while the response is being sent.
    var isResponding: Bool { state == .responding }
    /// True if the exchange is over.
    var isOver: Bool { state == .ended }

    // MARK: The head

    enum HeadAction: Sendable, Equatable {
        /// Let the content arrive.
        case proceed
        /// Start the handler, then let the content arrive.
        case startHandler
        /// Respond now, which closes the connection.
        case queue(Response)
    }

    mutating func headArrived(_ plan: Plan, framing: RequestFraming, expectsContinue: Bool) -> HeadAction {
        guard state == .head else { return .proceed }
        self.plan = plan
        if let response = earlyResponse(framing: framing, expectsContinue: expectsContinue) {
            state = .responding
            // Also of a client that asks for 100 Continue: it need not wait for the answer (RFC 9110 §10.1.1).
            leavesContent = framing != .none
            return .queue(response)
        }
        state = .receiving
        return plan == .streamed ? .startHandler : .proceed
    }

    /// Returns the response that is sent without waiting for the content, if any.
    private func earlyResponse(framing: RequestFraming, expectsContinue: Bool) -> Response? {
        switch plan {
        case .refuse:
            return .own
        case .immediate:
            // A client that asks for permission to send the content gets the response instead.
            return exceeds(maxDroppedBytes, framing) || framing != .none && expectsContinue ? .own : nil
        case .deferred:
            return exceeds(maxDroppedBytes, framing) ? .tooLarge : nil
        case .buffered(let limit):
            return exceeds(limit, framing) ? .tooLarge : nil
        case .streamed:
            return nil
        }
    }

    private func exceeds(_ limit: Int, _ framing: RequestFraming) -> Bool {
        if case .length(let length) = framing { length > UInt64(clamping: limit) } else { false }
    }

    // MARK: The content

    enum ContentAction: Sendable, Equatable {
        /// Take the bytes and drop them.
        case drop
        /// Take the bytes and store them.
        case keep
        /// Take the bytes and pass them to the stream.
        case stream
        /// Do not take them: the connection is suspended.
        case leave
        /// Respond without libmicrohttpd, which cannot queue a response here, and close.
        case refuse(Response)
        /// Close.
        case close
    }

    mutating func contentArrived(bytes: Int) -> ContentAction {
        guard state == .receiving, !isAborted else { return .close }
        guard !isSuspended else { return .leave }
        receivedBytes += bytes
        switch plan {
        case .refuse, .immediate, .deferred:
            guard receivedBytes > maxDroppedBytes else { return .drop }
            return refuse(plan == .deferred ? .tooLarge : .own)
        case .buffered(let limit):
            return receivedBytes > limit ? refuse(.tooLarge) : .keep
        case .streamed:
            guard hasResponse else { return .stream }
            return receivedBytes > dropLimitBytes ? refuse(.own) : .drop
        }
    }

    private mutating func refuse(_ response: Response) -> ContentAction {
        state = .refused
        leavesContent = true
        return .refuse(response)
    }

    /// Rejects content for lack of memory: the response is sent without libmicrohttpd, and the connection closes.
    mutating func refuseContent() {
        guard state == .receiving else { return }
        state = .refused
        leavesContent = true
    }

    /// Records that the stream is full; returns true if the caller has to suspend the connection.
    mutating func streamFilled() -> Bool {
        guard state == .receiving, !isSuspended else { return false }
        isSuspended = true
        return true
    }

    /// Records that the stream wants more.
    ///
    /// - Returns: True if the caller has to resume the connection.
    mutating func streamDrained() -> Bool {
        state == .receiving && resume()
    }

    // MARK: The handler

    enum CompletionAction: Sendable, Equatable {
        /// Queue the response that is stored in the exchange.
        case queue
        /// Suspend the connection, then start the handler.
        case startHandler
        /// Pass the collected content to the handler, then call ``replied(now:)``.
        case handOver
        /// End the stream, then suspend the connection until the handler has responded.
        case finishStream(thenQueue: Bool)
        /// Close.
        case close
    }

    /// Called when libmicrohttpd reports the end of the request, or calls again after a resume.
    mutating func requestCompleted() -> CompletionAction {
        guard !isAborted else { return .close }
        switch state {
        case .receiving:
            return contentEnded()
        case .handling where hasResponse:
            state = .responding
            return .queue
        case .head, .handling, .responding, .refused, .ended:
            return .close
        }
    }

    private mutating func contentEnded() -> CompletionAction {
        switch plan {
        case .refuse, .immediate:
            state = .responding
            return .queue
        case .deferred:
            state = .handling
            isSuspended = true
            return .startHandler
        case .buffered:
            return .handOver
        case .streamed:
            state = hasResponse ? .responding : .handling
            isSuspended = !hasResponse
            return .finishStream(thenQueue: hasResponse)
        }
    }

    /// Records that the collected content was passed on, and whether the response is already available.
    mutating func replied(now: Bool) {
        guard state == .receiving else { return }
        state = now ? .responding : .handling
        isSuspended = !now
    }

    /// Records that the handler has responded.
    ///
    /// - Parameter mayInterrupt: True if the response can be sent in the middle of the content, without libmicrohttpd.
    /// - Returns: True if the caller has to resume the connection.
    mutating func responseArrived(mayInterrupt: Bool) -> Bool {
        guard state == .receiving || state == .handling, !hasResponse else { return false }
        hasResponse = true
        let (limit, isBeyond) = receivedBytes.addingReportingOverflow(maxDroppedBytes)
        dropLimitBytes = mayInterrupt && !isBeyond ? limit : .max
        return resume()
    }

    // MARK: The response

    /// Records that the stream of the response has no bytes yet; returns true if the caller has to suspend the
    /// connection.
    mutating func responseRanDry() -> Bool {
        guard state == .responding, !isSuspended, !isAborted else { return false }
        isSuspended = true
        return true
    }

    /// Records that the stream of the response has bytes, or has ended.
    ///
    /// - Returns: True if the caller has to resume the connection.
    mutating func responseFlows() -> Bool {
        state == .responding && resume()
    }

    // MARK: The end

    /// Ends the sending: the connection closes at the next call.
    ///
    /// - Returns: True if the caller has to resume the connection.
    mutating func abort() -> Bool {
        guard state != .ended else { return false }
        isAborted = true
        return resume()
    }

    /// Records that libmicrohttpd has finished with the request.
    mutating func end() {
        state = .ended
        isSuspended = false
    }

    private mutating func resume() -> Bool {
        defer { isSuspended = false }
        return isSuspended
    }
}
