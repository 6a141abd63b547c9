import ErrandAuthentication
import ErrandCookies
import ErrandResponseSerialization
import ErrandTime
import ErrandTransfer

/// One attempt at a prepared request: authenticates and sends each hop, follows redirects and challenges, and reads the
/// final response.
///
/// All decisions are made by value types (``HopChain``, ``RedirectRule``, ``ResponseReader``); this type performs them.
///
/// Used by one task, which runs it once; ``AttemptControl`` is for other threads.
///
/// A function that suspends and is inlined makes its values a part of its caller's frame, which each attempt allocates.
/// So the rare steps, and those with many values, are not inlined.
final class Attempt {
    let session: SessionParts
    let prepared: PreparedRequest
    let sink: any BodySink
    let control: AttemptControl
    let observer: AttemptObserver
    let reporter: ProgressReporter

    var chain: HopChain
    /// The request of the current hop, with its credentials and cookies.
    var request: TransferRequest
    private(set) var metrics = TransferMetrics()
    /// The authentication challenges after which the request of the current hop was resent.
    var challenges = AnsweredChallenges()
    /// The number of answers to challenges that hooks have given.
    var challengeAnswers = 0
    /// The redirects and challenges that were followed, in order.
    var hops: [FollowedHop] = []
    /// The reason for which the credentials cannot answer the upstream's challenge.
    var refusal: String?
    /// The time spent waiting for a token, for stored cookies and for hooks.
    var waited = Duration.zero
    /// The head of the response to the current request, until it is known what follows from it.
    ///
    /// Here and not in a frame: the functions that decide about it suspend.
    private var receivedHead: ResponseHead?
    /// True if listeners were told of ``receivedHead`` as the response when it came.
    private var isHeadReported = false

    @inline(never)
    init(
        session: SessionParts, prepared: PreparedRequest, sink: any BodySink, control: AttemptControl,
        observer: AttemptObserver
    ) {
        self.session = session
        self.prepared = prepared
        self.sink = sink
        self.control = control
        self.observer = observer
        reporter = ProgressReporter(control, observer, time: session.time)
        chain = HopChain(prepared, policy: prepared.extras?.redirects ?? session.configuration.redirects)
        request = prepared.transfer
    }

    func run() async -> SessionOutcome {
        configureControl()
        control.receive(into: sink)
        var outcome = await sendHops()
        control.receive(into: nil)
        if prepared.extras != nil { await applyHooks(to: &outcome) }
        reportMetrics()
        outcome.hops = hops
        return outcome
    }

    @inline(never)
    private func configureControl() {
        control.keepSuspended(for: session.configuration.suspendedKeep, clock: session.time.clock)
        control.receiving.configure(session.pacing.receiving, time: session.time)
        control.sending.configure(session.pacing.sending, time: session.time)
    }

    @inline(never)
    private func reportMetrics() {
        observer.emit(.measured(metrics))
    }

    private func sendHops() async -> SessionOutcome {
        var isAdapted = prepared.extras == nil
        while true {
            guard await control.untilResumed() else { return await expired() }
            do throws(SessionError) {
                if chain.lacksDigest { try await addDigest() }
                if !isAdapted {
                    try await adapt()
                    isAdapted = true
                }
                if let cookies = session.cookies, cookies.mustLoad { try await load(cookies) }
                if let outcome = try await hop() { return outcome }
                // Another request follows: this response is not the last one.
                receivedHead = nil
            } catch {
                await sink.discard()
                return outcome(of: error)
            }
        }
    }

    /// Returns the outcome of an attempt that an error has ended.
    ///
    /// If a redirect cannot be followed, or a challenge not be answered, that response is the last one. An error after
    /// that, such as one of a request for a token, has no response.
    @inline(never)
    private func outcome(of error: SessionError) -> SessionOutcome {
        // A cancellation by the owner takes precedence over the error that it caused.
        if let canceled = control.canceled { return SessionOutcome(error: canceled, metrics: metrics) }
        guard let head = receivedHead, error.code != .canceled else {
            return SessionOutcome(error: errorOfAttempt(error), metrics: metrics)
        }
        if !isHeadReported { observer.emit(.responded(head)) }
        return SessionOutcome(response: response(head), error: errorOfAttempt(error), metrics: metrics)
    }

    /// Converts an error of the current hop into one of the attempt: after a redirect, the attempt's request has
    /// arrived, however early the hop failed.
    private func errorOfAttempt(_ error: SessionError) -> SessionError {
        var error = error
        if chain.redirects > 0, error.code != .canceled { error.mayHaveArrived = true }
        return error
    }

    // MARK: Hops

    /// Performs a hop.
    ///
    /// - Returns: The outcome of the attempt; `nil` if another hop follows.
    private func hop() async throws(SessionError) -> SessionOutcome? {
        if let error = control.canceled { throw error }
        if Task.isCancelled { throw .canceled }
        try beginRequest()
        if chain.carriesCredentials, let authenticator = session.authenticator {
            try await authorize(by: authenticator)
        }
        let receiver = receiver()
        let transfer = await session.transport.perform(paced(request), receiver: receiver)
        let suspension = try transferDidEnd(transfer)
        return try await conclude(transfer, receiver: receiver, suspension: suspension)
    }

    /// Records the end of a transfer.
    ///
    /// - Throws: The cancellation of the attempt, even if the whole response came first: a caller that canceled is not
    ///   told of success.
    @inline(never)
    private func transferDidEnd(_ transfer: TransferOutcome) throws(SessionError) -> SuspensionMachine.Effect {
        let suspension = control.hopDidEnd()
        reporter.hopDidEnd()
        metrics = transfer.metrics.following(metrics)
        session.reachability.observe(transfer, of: request)
        if let canceled = control.canceled { throw canceled }
        return suspension
    }

    /// Decides what follows a transfer.
    ///
    /// - Returns: The outcome of the attempt; `nil` if another hop follows.
    @inline(never)
    private func conclude(
        _ transfer: TransferOutcome, receiver: HopReceiver, suspension: SuspensionMachine.Effect
    ) async throws(SessionError) -> SessionOutcome? {
        receivedHead = transfer.head
        isHeadReported = receiver.reportsResponse
        if receiver.refusesExpectation {
            try chain.dropExpectation()
            return nil
        }
        // Even if receiving its content failed, the redirect's target is known.
        if let head = transfer.head, case .follow(let target) = receiver.verdict,
            try await followUnlessRefused(target, after: head)
        {
            return nil
        }
        // Even if receiving its content failed, the head has the challenge.
        if transfer.head?.status == 401, try await answerChallenge(of: transfer) { return nil }
        if let head = transfer.head, let objection = receiver.objection(to: head) {
            return await refused(head, because: objection, receiver.verdict)
        }
        if let error = transfer.error {
            if prepared.isJudgedByStatus, let head = transfer.head {
                return await read(head, from: receiver, isWhole: false)
            }
            return await failed(error, after: transfer, suspension: suspension)
        }
        guard let head = transfer.head else {
            throw SessionError(.internal, "The transfer ended without a response and without an error")
        }
        return await read(head, from: receiver, isWhole: true)
    }

    /// Follows a redirect, unless a hook refuses it.
    ///
    /// - Returns: True if another hop follows; false if the redirect is the response.
    @inline(never)
    private func followUnlessRefused(
        _ target: RedirectRule.Target, after head: ResponseHead
    ) async throws(SessionError) -> Bool {
        guard asksAboutRedirects else {
            try follow(target, after: head)
            return true
        }
        if try await ask(about: target, after: head) { return true }
        observer.emit(.responded(head))
        return false
    }

    /// Returns the receiver of the response to the next hop.
    @inline(never)
    private func receiver() -> HopReceiver {
        HopReceiver(
            chain, url: request.url, cookies: session.cookies, sink: PacedSink(sink, control.receiving),
            maxBodyBytes: maxBodyBytes, judgesByStatus: prepared.isJudgedByStatus, keepsRedirects: asksAboutRedirects,
            validation: contentValidation, attempt: control, observer: observer, reporter: reporter)
    }

    /// The rules for responses whose content is received; `nil` for none.
    private var contentValidation: ContentValidation? {
        guard session.configuration.response.disposition.unacceptable == .cancel else { return nil }
        return ContentValidation(
            response: reader().validation,
            answersChallenges: chain.carriesCredentials && session.authenticator != nil || asksAboutChallenges)
    }

    private func follow(_ target: RedirectRule.Target, after head: ResponseHead) throws(SessionError) {
        let url = chain.request.url
        try chain.follow(target)
        challenges.beginNextRequest()
        note(redirectFrom: url, to: target.url, after: head)
    }

    /// Reports a redirect that is followed, and notes it for the outcome.
    func note(redirectFrom url: HTTPURL, to target: HTTPURL, after head: ResponseHead) {
        observer.emit(.redirected(from: url, to: target, status: head.status))
        let redirect = FollowedRedirect(
            status: head.status, from: prepared.secrets.shown(url), to: prepared.secrets.shown(target))
        hops.append(.redirect(redirect))
    }

    private var maxBodyBytes: Int64 {
        let limit = prepared.extras?.maxBodyBytes ?? session.configuration.response.disposition.maxBodyBytes
        return prepared.isJudgedByStatus ? min(limit, HopReceiver.maxDrainedBytes) : limit
    }

    // MARK: End

    private func response(_ head: ResponseHead) -> SessionResponse {
        SessionResponse(
            head: head, url: chain.request.url, redirects: chain.redirects,
            serializer: prepared.responseSerializer.kinds[0], secrets: prepared.secrets)
    }

    /// Returns the error of a transfer as one of the attempt: the transfer knows only its part of the total timeout.
    private func named(_ error: TransferError) -> SessionError {
        var named = SessionError(error)
        if error.code == .timedOut, let total = chain.request.timeouts.total,
            total - metrics.active - waited <= .zero
        {
            named.message = Self.overdue(after: total).message
        }
        return named
    }

    @inline(never)
    private func failed(
        _ error: TransferError, after transfer: TransferOutcome, suspension: SuspensionMachine.Effect
    ) async -> SessionOutcome {
        await sink.discard()
        var outcome = SessionOutcome(
            response: transfer.head.map { response($0) }, error: errorOfAttempt(sessionError(error)), metrics: metrics)
        // Another attempt begins with the first request, not with the target of a redirect.
        let mayHaveArrived = error.mayHaveArrived || transfer.metrics.bytesSent > 0 || chain.redirects > 0
        switch suspension {
        case .unaffected:
            return outcome
        case .survived:
            // A connection lost while the transfer was suspended may be retried.
            guard error.code == .connectionLost else { return outcome }
        case .expired:
            // Other failures during the suspension have their own cause.
            guard error.code == .canceled || error.code == .connectionLost else { return outcome }
            outcome.error = Self.suspendedTooLong(mayHaveArrived)
        }
        outcome.wasLostToSuspension = true
        outcome.mayRestart = prepareRestart(mayHaveArrived: mayHaveArrived)
        return outcome
    }

    /// Returns the error of a transfer, with that of the program if the source of the content has failed.
    func sessionError(_ error: TransferError) -> SessionError {
        guard error.code != .canceled, case .source(let source) = chain.request.body, let cause = source.failure else {
            return named(error)
        }
        return SessionError(.transportError, error.message, mayHaveArrived: error.mayHaveArrived, cause: cause)
    }

    /// Returns the outcome of an attempt that was suspended for too long before a hop.
    @inline(never)
    private func expired() async -> SessionOutcome {
        await sink.discard()
        if let canceled = control.canceled { return SessionOutcome(error: canceled, metrics: metrics) }
        let mayHaveArrived = metrics.bytesSent > 0 || chain.redirects > 0
        var outcome = SessionOutcome(error: Self.suspendedTooLong(mayHaveArrived), metrics: metrics)
        outcome.wasLostToSuspension = true
        outcome.mayRestart = prepareRestart(mayHaveArrived: mayHaveArrived)
        return outcome
    }

    private static func suspendedTooLong(_ mayHaveArrived: Bool) -> SessionError {
        SessionError(
            .connectionLost, "The connection was closed because the task was suspended for too long",
            mayHaveArrived: mayHaveArrived)
    }

    /// Rewinds the content of the request for another attempt, if the request may be repeated.
    ///
    /// - Returns: True if another attempt may begin.
    private func prepareRestart(mayHaveArrived: Bool) -> Bool {
        // Hooks may have made a request that must not be sent twice, and may do so only sometimes.
        let mayRepeat = prepared.transfer.mayResend && chain.hooked.mayResend
        return (mayRepeat || !mayHaveArrived) && HopChain.rewindForResend(prepared.transfer.body)
    }

    /// Returns the content of a response; `nil` if it is incomplete and only the status matters.
    private func content(isWhole: Bool) async throws(TransferError) -> ReceivedBody? {
        if isWhole {
            do throws(TransferError) {
                return try await sink.finish()
            } catch {
                guard prepared.isJudgedByStatus else { throw error }
            }
        }
        await sink.discard()
        return nil
    }

    /// Evaluates and reads a response, once there is room in memory for its content.
    private func reading(
        _ head: ResponseHead, _ body: ReceivedBody
    ) async throws(TransferError) -> ResponseReader.Reading {
        let reader = reader()
        guard let memory = reader.memory(toRead: body, of: head) else { return try await reader.read(head, body) }
        guard let share = await share(of: memory) else {
            let error = control.canceled ?? .canceled
            return ResponseReader.Reading(serializer: prepared.responseSerializer.kinds[0], error: error)
        }
        defer { session.reading.giveBack(share) }
        return try await reader.read(head, body)
    }

    /// Waits for room in memory; returns `nil` if the attempt ends before.
    ///
    /// Not inlined, because its values would become a part of the frame of each attempt.
    @inline(never)
    private func share(of bytes: Int64) async -> Int64? {
        let budget = session.reading
        return await control.awaitWork(within: nil, by: session.time) { await budget.take(bytes) }.value
    }

    /// Returns the reader of the response.
    private func reader() -> ResponseReader {
        var configuration = session.configuration.response
        prepared.extras?.apply(to: &configuration)
        if prepared.isJudgedByStatus { configuration.acceptableContentTypes = nil }
        return ResponseReader(
            prepared.responseSerializer, configuration, own: prepared.extras?.hooks.responseSerializer)
    }

    /// Returns the outcome of a response that was refused when its head came.
    @inline(never)
    private func refused(
        _ head: ResponseHead, because objection: SessionError, _ verdict: RedirectRule.Verdict
    ) async -> SessionOutcome {
        await sink.discard()
        let reading = ResponseReader.Reading(serializer: prepared.responseSerializer.kinds[0], error: objection)
        return outcome(of: head, body: nil, reading: .success(reading), verdict: verdict)
    }

    @inline(never)
    private func read(_ head: ResponseHead, from receiver: HopReceiver, isWhole: Bool) async -> SessionOutcome {
        var body: ReceivedBody?
        let reading: Result<ResponseReader.Reading, TransferError>
        do throws(TransferError) {
            body = try await content(isWhole: isWhole)
            reading = .success(try await self.reading(head, body ?? .empty))
        } catch {
            reading = .failure(error)
        }
        return outcome(of: head, body: body, reading: reading, verdict: receiver.verdict)
    }

    /// Returns the outcome of a response that was read.
    @inline(never)
    private func outcome(
        of head: ResponseHead, body: ReceivedBody?, reading: Result<ResponseReader.Reading, TransferError>,
        verdict: RedirectRule.Verdict
    ) -> SessionOutcome {
        var (response, error) = (response(head), SessionError?.none)
        response.body = body
        switch reading {
        case .success(let reading):
            response.object = reading.object
            response.serializer = reading.serializer
            response.omitsObject = reading.omitsObject
            error = reading.error
        case .failure(let failure):
            error = SessionError(failure)
        }
        if let refusal, let status = error, status.code == .unacceptableStatus, status.underlying == nil {
            error = status.because(of: SessionError(.authenticationFailed, refusal))
        }
        switch verdict {
        case .response:
            break
        case .follow:
            // Such a response is read only if a hook has refused the redirect.
            if let status = error, !accepts(head.status) {
                error = SessionError(.redirectRefused, "A hook has refused the redirect", underlying: status)
            }
        case .refused(let refusal):
            if let status = error, !accepts(head.status) { error = refusal.because(of: status) }
        case .failed(let failure):
            error = failure.because(of: error)
        }
        return SessionOutcome(response: response, error: error, metrics: metrics)
    }

    /// Returns true if a status is acceptable.
    private func accepts(_ status: Int) -> Bool {
        (prepared.extras?.acceptableStatuses ?? session.configuration.response.acceptableStatuses).contains(status)
    }
}

extension SessionError {
    /// Returns the same error with another as the underlying one.
    fileprivate func because(of underlying: SessionError?) -> SessionError {
        var error = self
        error.underlying = underlying
        return error
    }
}
