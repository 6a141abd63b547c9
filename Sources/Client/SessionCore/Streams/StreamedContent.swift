import ErrandLocking
package import ErrandTransfer

/// The attempts of a task whose response is streamed, and the content on its way to the reader.
///
/// Any thread. The transport's thread appends content and never waits for the reader.
package final class StreamedContent: TaskAttempts, BodySink {
    private let validation: ResponseValidation
    private let isForHEAD: Bool
    private let maxHeldBytes: Int64
    private let maxErrorBytes: Int64
    private let state = Mutex(State())

    private struct State {
        var machine = StreamMachine()
        /// Resumes the paused transfer.
        var resume: (@Sendable () -> Void)?
        /// The callers that wait for a change.
        var waiters: [Continuation<Void>] = []

        mutating func takeWaiters() -> [Continuation<Void>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Creates the content of a request.
    ///
    /// - Parameter configuration: The rules of the session for responses.
    package init(_ request: TaskRequest, _ configuration: ResponseConfiguration) {
        validation = ResponseValidation(
            statuses: request.acceptableStatuses ?? configuration.acceptableStatuses,
            contentTypes: request.acceptableContentTypes ?? configuration.acceptableContentTypes)
        isForHEAD = request.method?.uppercased() == "HEAD"
        maxHeldBytes = configuration.disposition.maxBodyBytes
        maxErrorBytes = configuration.disposition.maxErrorBytes
    }

    // MARK: Attempts

    package func next(
        _ request: PreparedRequest
    ) async throws(SessionError) -> (request: PreparedRequest, sink: any BodySink) {
        (request, self)
    }

    /// Lets no other attempt follow once the reader has a response.
    package func conclude(
        _ outcome: SessionOutcome, isCanceled: @escaping @Sendable () -> Bool
    ) async -> SessionOutcome {
        guard state.withLock({ $0.machine.head != nil }) else { return outcome }
        var outcome = outcome
        outcome.response?.body = nil
        outcome.mayRestart = false
        outcome.isFinal = true
        return outcome
    }

    package func didComplete(_ outcome: SessionOutcome) {
        var failure: SessionError?
        do throws(SessionError) {
            _ = try outcome.success(showing: maxErrorBytes)
        } catch {
            failure = error
        }
        let error = failure
        change { $0.machine.end(outcome.response?.head, error) }
    }

    // MARK: Content

    package func begin(resume: @escaping @Sendable () -> Void) {
        // The head decides: the transport calls the other method.
    }

    package func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        let isStreamed = mayStream(head)
        let hasBegun = change { state in
            state.resume = resume
            return state.machine.begin(head, isStreamed: isStreamed)
        }
        guard hasBegun else {
            return .stop(TransferError(.transportError, "Another response is being read already"))
        }
        return .proceed
    }

    package func append(_ bytes: RawSpan) -> ReceiveDecision {
        let (decision, waiters) = state.withLock { state in
            let decision = state.machine.append(bytes, maxHeldBytes: maxHeldBytes)
            return (decision, state.machine.isReadable ? state.takeWaiters() : [])
        }
        for waiter in waiters { waiter.resume() }
        return decision
    }

    package func finish() async throws(TransferError) -> ReceivedBody {
        state.withLock { state in
            ReceivedBody(size: state.machine.received, content: .bytes(state.machine.held ?? []))
        }
    }

    /// True if the reader has a response.
    package var hasHead: Bool {
        state.withLock { $0.machine.head != nil }
    }

    /// Lets the response go somewhere else; called before its content begins, or for held content.
    package func divert() {
        change { $0.machine.divert() }
    }

    /// Drops held content; streamed content stays for the reader.
    package func discard() async {
        state.withLock { $0.machine.discard() }
    }

    /// Returns true if the content can go to the reader while it comes.
    ///
    /// The response is acceptable, and no other request follows it, as after a redirect or an authentication challenge.
    package func mayStream(_ head: ResponseHead) -> Bool {
        guard head.status != 401, !(300..<400).contains(head.status) else { return false }
        let length: Int64?
        do throws(TransferError) {
            length = try head.contentLength(toHEAD: isForHEAD)
        } catch {
            length = nil
        }
        return validation.error(of: head, hasContent: length != 0) == nil
    }

    /// Returns the error of a response that was held to its end and is not acceptable; `nil` if it is.
    package func objection(to response: SessionResponse) -> SessionError? {
        validation.error(of: response.head, hasContent: (response.body?.size ?? 0) > 0)
    }

    // MARK: Reading

    /// Waits for the response that the reader gets, and returns its head; `nil` if the task has ended without one,
    /// or if the response goes somewhere else.
    package func head() async -> ResponseHead? {
        await wait { $0.isDecided }
        return state.withLock { $0.machine.head }
    }

    /// Waits for content and takes all that has come; `nil` at the end.
    func read() async -> Result<[UInt8]?, SessionError> {
        while true {
            let (step, resume) = state.withLock { ($0.machine.read(), $0.resume) }
            switch step {
            case .wait:
                await wait { $0.isReadable }
            case .bytes(let bytes, let resumes):
                if resumes { resume?() }
                return .success(bytes)
            case .end:
                return .success(nil)
            case .fail(let error):
                return .failure(error)
            }
        }
    }

    private func wait(until isReached: @Sendable (StreamMachine) -> Bool) async {
        // Checked again after each wake-up: a change may wake a caller for another reason.
        while !state.withLock({ isReached($0.machine) }) {
            await withContinuation { (continuation: Continuation<Void>) in
                let isOver = state.withLock { state in
                    if isReached(state.machine) { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
    }

    /// Changes the state, and wakes the waiting callers.
    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, waiters) = state.withLock { state in
            (body(&state), state.takeWaiters())
        }
        for waiter in waiters { waiter.resume() }
        return value
    }
}
