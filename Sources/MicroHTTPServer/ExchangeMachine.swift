import HTTPServer

/// The life of one request and its answer, without I/O: events in, what to do out.
///
/// libmicrohttpd calls its handler once when the head is there, then for each part of the content, then when all of it
/// has come; an answer can be queued at the first and at the last of these calls, and an answer at the first one costs
/// the connection. In between, and while a handler works, the connection may be suspended. The machine knows at which
/// point the exchange is and whether the connection is suspended, so that it is resumed exactly once.
struct ExchangeMachine: Sendable {
    /// What is to be done with the content and with the request.
    enum Plan: Sendable, Equatable {
        /// The head is unacceptable: answer and close.
        case refuse
        /// There is an answer already.
        case answer
        /// A handler is called when the request is complete; a content is dropped.
        case bodyless
        /// The content is collected, then handed over.
        case buffered(limitBytes: Int)
        /// The content is handed over as it arrives.
        case streamed
    }

    /// Which answer to give.
    enum Answer: Sendable, Equatable {
        /// The one that the exchange holds.
        case own
        /// The refusal of a content that is too large.
        case tooLarge
    }

    private enum State: Equatable {
        /// The head is arriving. Exits: `receiving`, `responding`, `ended`.
        case head
        /// The head is judged, the content arrives, or there is none and the call that says so is still to come.
        /// Exits: `handling`, `responding`, `refused`, `ended`.
        case receiving
        /// The request is complete and the handler works. Exits: `responding`, `ended`.
        case handling
        /// The answer is queued. Exit: `ended`.
        case responding
        /// Answered past libmicrohttpd in the middle of the content; the connection is closing. Exit: `ended`.
        case refused
        /// Over. No exit.
        case ended
    }

    private let maxDroppedBytes: Int
    private var state = State.head
    private var plan = Plan.refuse
    private var receivedBytes = 0
    /// How much more of the content may come after the handler has answered without reading it.
    private var dropLimitBytes = 0
    private var hasAnswer = false
    private(set) var isSuspended = false
    private(set) var isAborted = false
    /// The connection closes with content on the way that nobody has read.
    private(set) var leavesContent = false

    init(maxDroppedBytes: Int) {
        self.maxDroppedBytes = maxDroppedBytes
    }

    /// Whether the exchange goes on only when more of the request arrives.
    var waitsForPeer: Bool { (state == .head || state == .receiving) && !isSuspended }
    /// Whether the head is still to come.
    var awaitsHead: Bool { state == .head }
    /// Whether content may still come.
    var isReceiving: Bool { state == .receiving }
    /// Whether the answer is being sent.
    var isResponding: Bool { state == .responding }
    /// Whether the exchange is over.
    var isOver: Bool { state == .ended }

    // MARK: The head

    enum HeadAction: Sendable, Equatable {
        /// Let the content come.
        case proceed
        /// Start the handler, then let the content come.
        case startHandler
        /// Answer now, which closes the connection.
        case queue(Answer)
    }

    mutating func headArrived(_ plan: Plan, framing: RequestFraming, expectsContinue: Bool) -> HeadAction {
        guard state == .head else { return .proceed }
        self.plan = plan
        if let answer = earlyAnswer(framing: framing, expectsContinue: expectsContinue) {
            state = .responding
            // A client that waits for 100 Continue has not sent anything yet.
            leavesContent = framing != .none && !expectsContinue
            return .queue(answer)
        }
        state = .receiving
        return plan == .streamed ? .startHandler : .proceed
    }

    /// The answer to give without waiting for the content, if that is how to answer.
    private func earlyAnswer(framing: RequestFraming, expectsContinue: Bool) -> Answer? {
        switch plan {
        case .refuse:
            return .own
        case .answer:
            // Whoever asks first whether to send the content gets the answer instead.
            return exceeds(maxDroppedBytes, framing) || framing != .none && expectsContinue ? .own : nil
        case .bodyless:
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
        /// Take the bytes and forget them.
        case drop
        /// Take the bytes and keep them.
        case keep
        /// Take the bytes and give them to the stream.
        case stream
        /// Do not take them: the connection is suspended.
        case leave
        /// Answer past libmicrohttpd, which cannot queue an answer here, and close.
        case refuse(Answer)
        /// Close.
        case close
    }

    mutating func contentArrived(bytes: Int) -> ContentAction {
        guard state == .receiving, !isAborted else { return .close }
        guard !isSuspended else { return .leave }
        receivedBytes += bytes
        switch plan {
        case .refuse, .answer, .bodyless:
            guard receivedBytes > maxDroppedBytes else { return .drop }
            return refuse(plan == .bodyless ? .tooLarge : .own)
        case .buffered(let limit):
            return receivedBytes > limit ? refuse(.tooLarge) : .keep
        case .streamed:
            guard hasAnswer else { return .stream }
            return receivedBytes > dropLimitBytes ? refuse(.own) : .drop
        }
    }

    private mutating func refuse(_ answer: Answer) -> ContentAction {
        state = .refused
        leavesContent = true
        return .refuse(answer)
    }

    /// The stream has enough: the caller suspends the connection.
    mutating func streamFilled() -> Bool {
        guard state == .receiving, !isSuspended else { return false }
        isSuspended = true
        return true
    }

    /// The stream wants more.
    ///
    /// Whether to resume the connection.
    mutating func streamDrained() -> Bool {
        state == .receiving && resume()
    }

    // MARK: The handler

    enum CompletionAction: Sendable, Equatable {
        /// Queue the answer that the exchange holds.
        case queue
        /// Suspend the connection, then start the handler.
        case startHandler
        /// Ask what becomes of the collected content, then say so with ``replied(now:)``.
        case handOver
        /// End the stream, then suspend the connection until the handler has answered.
        case finishStream(thenQueue: Bool)
        /// Close.
        case close
    }

    /// libmicrohttpd says that the request is complete, or calls again after a resume.
    mutating func requestCompleted() -> CompletionAction {
        guard !isAborted else { return .close }
        switch state {
        case .receiving:
            return contentEnded()
        case .handling where hasAnswer:
            state = .responding
            return .queue
        case .head, .handling, .responding, .refused, .ended:
            return .close
        }
    }

    private mutating func contentEnded() -> CompletionAction {
        switch plan {
        case .refuse, .answer:
            state = .responding
            return .queue
        case .bodyless:
            state = .handling
            isSuspended = true
            return .startHandler
        case .buffered:
            return .handOver
        case .streamed:
            state = hasAnswer ? .responding : .handling
            isSuspended = !hasAnswer
            return .finishStream(thenQueue: hasAnswer)
        }
    }

    /// The collected content has been handed over, and the answer is there or will come.
    mutating func replied(now: Bool) {
        guard state == .receiving else { return }
        state = now ? .responding : .handling
        isSuspended = !now
    }

    /// The handler has answered.
    ///
    /// Whether to resume the connection.
    ///
    /// - Parameter mayInterrupt: The answer can be given in the middle of the content, past libmicrohttpd.
    mutating func answerArrived(mayInterrupt: Bool) -> Bool {
        guard state == .receiving || state == .handling, !hasAnswer else { return false }
        hasAnswer = true
        let (limit, isBeyond) = receivedBytes.addingReportingOverflow(maxDroppedBytes)
        dropLimitBytes = mayInterrupt && !isBeyond ? limit : .max
        return resume()
    }

    // MARK: The answer

    /// The stream of the answer has no bytes yet: the caller suspends the connection.
    mutating func answerRanDry() -> Bool {
        guard state == .responding, !isSuspended, !isAborted else { return false }
        isSuspended = true
        return true
    }

    /// The stream of the answer has bytes, or has ended.
    ///
    /// Whether to resume the connection.
    mutating func answerFlows() -> Bool {
        state == .responding && resume()
    }

    // MARK: The end

    /// Nothing more is to be sent: the connection closes at the next call.
    ///
    /// Whether to resume it.
    mutating func abort() -> Bool {
        guard state != .ended else { return false }
        isAborted = true
        return resume()
    }

    /// libmicrohttpd has finished with the request.
    mutating func end() {
        state = .ended
        isSuspended = false
    }

    private mutating func resume() -> Bool {
        defer { isSuspended = false }
        return isSuspended
    }
}
