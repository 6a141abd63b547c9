import Authentication
import Cookies
import HTTPTypes
import ResponseSerialization
import Transfer

/// One attempt at a prepared request: its hops one after the other, each proved, sent, judged, and the last one read.
///
/// Every decision is a value's (``HopChain``, ``RedirectRule``, ``ResponseReader``); this only performs them.
struct Attempt: Sendable {
    let session: SessionParts
    let prepared: PreparedRequest
    let sink: any BodySink
    let control: AttemptControl
    let observer: AttemptObserver

    /// How a hop ended.
    private enum Step {
        /// It was the last.
        case done(SessionOutcome)
        /// The next can begin.
        case next
    }

    /// The state between the hops.
    private struct Progress {
        var chain: HopChain
        let reporter: ProgressReporter
        var metrics = TransferMetrics()
        /// How often a request was sent again because the upstream asked who sends it.
        var challenges = 0

        /// The redirects that were followed, in their order.
        var redirects: [FollowedRedirect] = []
        /// Why the credentials have no answer to the upstream's challenge.
        var refusal: String?
        /// The time that was spent waiting for a token.
        var waited = Duration.zero

        /// What an error of the hop at hand is for the attempt: a redirect has answered its request, which so has
        /// arrived, however early the hop failed.
        func errorOfAttempt(_ error: SessionError) -> SessionError {
            var error = error
            if chain.redirects > 0, error.code != .canceled { error.mayHaveArrived = true }
            return error
        }
    }

    func run() async -> SessionOutcome {
        control.keepSuspended(for: session.configuration.suspendedKeep, clock: session.clock)
        control.receiving.configure(session.pacing?.receiving, clock: session.clock, now: session.instants)
        control.sending.configure(session.pacing?.sending, clock: session.clock, now: session.instants)
        var progress = Progress(
            chain: HopChain(prepared, policy: session.configuration.redirects),
            reporter: ProgressReporter(control, observer))
        var outcome = await hops(&progress)
        observer.emit(.measured(progress.metrics))
        outcome.redirects = progress.redirects
        return outcome
    }

    private func hops(_ progress: inout Progress) async -> SessionOutcome {
        while true {
            guard await control.untilResumed() else { return await expired(progress) }
            do throws(SessionError) {
                try await loadCookies()
                if case .done(let outcome) = try await hop(&progress) { return outcome }
            } catch {
                await sink.discard()
                // When the owner has ended it, that is why, whatever it looks like from below.
                return SessionOutcome(
                    error: control.canceled ?? progress.errorOfAttempt(error), metrics: progress.metrics)
            }
        }
    }

    private func loadCookies() async throws(SessionError) {
        do throws(CookieStorageError) {
            try await session.cookies?.prepare()
        } catch {
            throw SessionError(.internal, "The session's cookies could not be loaded", isRetryable: true)
        }
    }

    // MARK: A hop

    private func hop(_ progress: inout Progress) async throws(SessionError) -> Step {
        if let error = control.canceled { throw error }
        if Task.isCancelled { throw .canceled }
        let request = try await request(of: &progress)
        let receiver = HopReceiver(
            progress.chain, sink: PacedSink(sink, control.receiving),
            maxBodyBytes: session.configuration.response.disposition.maxBodyBytes,
            attempt: control, observer: observer, reporter: progress.reporter)
        let transfer = await session.transport.perform(paced(request), receiver: receiver)
        let suspension = control.letGo()
        progress.reporter.tell()
        progress.metrics = transfer.metrics.following(progress.metrics)
        session.reachability.observe(transfer, of: request)
        if let head = transfer.head { keepCookies(of: head, from: request.url) }
        // Also where the whole response came first: who has cancelled is told of no success.
        if let canceled = control.canceled { throw canceled }
        if let head = transfer.head, case .follow(let target) = receiver.verdict {
            // Whatever became of its content, where it leads to is known.
            observer.emit(.redirected(from: progress.chain.request.url, to: target.url, status: head.status))
            let followed = FollowedRedirect(
                status: head.status, from: prepared.secrets.shown(progress.chain.request.url),
                to: prepared.secrets.shown(target.url))
            try progress.chain.follow(target)
            progress.redirects.append(followed)
            return .next
        }
        if let error = transfer.error {
            return .done(await failed(error, transfer, progress, suspension))
        }
        guard let head = transfer.head else {
            throw SessionError(.internal, "The transfer ended without a response and without an error")
        }
        if try await shallRepeat(after: head, of: request, &progress) { return .next }
        return .done(await read(head, receiver, progress))
    }

    /// The request of the next hop, complete: with what is left of its time, cookies, and proof of who asks.
    private func request(of progress: inout Progress) async throws(SessionError) -> TransferRequest {
        var request = progress.chain.request
        try limit(&request, progress)
        if case .source(let source) = request.body, observer.isHeard {
            request.body = .source(ReportedSource(source, progress.reporter))
        }
        if progress.chain.carriesCookies, let cookies = session.cookies?.header(for: request.url) {
            // By field, not by value: setting a Cookie's value would cut it into several fields.
            request.headers.append(HTTPField(name: .cookie, value: cookies))
        }
        guard progress.chain.carriesCredentials, let authenticator = session.authenticator else { return request }
        do throws(AuthenticationError) {
            guard case .oauth2 = authenticator.credentials else {
                try await authenticator.authorize(&request)
                return request
            }
            return try await withToken(of: authenticator, request, &progress)
        } catch {
            // When the token took all the time, that is why, whatever it looks like from below.
            try limit(&request, progress)
            throw SessionError(error)
        }
    }

    /// The request with content that is sent no faster than it may be: what is signed is the content itself.
    private func paced(_ request: TransferRequest) -> TransferRequest {
        var request = request
        switch request.body {
        case .source(let source):
            request.body = .source(PacedSource(source, control.sending))
        case .bytes(let bytes) where control.sending.isLimited:
            request.body = .source(PacedSource(MemorySource(bytes), control.sending))
        case .none, .bytes:
            break
        }
        return request
    }

    /// Sets what is left of the total limit of time.
    private func limit(_ request: inout TransferRequest, _ progress: Progress) throws(SessionError) {
        guard let total = progress.chain.request.timeouts.total else { return }
        let left = total - progress.metrics.active - progress.waited
        guard left > .zero else {
            throw SessionError(.timedOut, "The attempt took longer than its total limit of time")
        }
        request.timeouts.total = left
    }

    /// The request with a token, which may have to be fetched first: cancelling the attempt does not wait for that, and
    /// the time that it takes counts.
    private func withToken(
        of authenticator: Authenticator, _ plain: TransferRequest, _ progress: inout Progress
    ) async throws(AuthenticationError) -> TransferRequest {
        let (result, waited) = await session.clock.timing {
            await control.perform(within: plain.timeouts.total, by: session.clock) {
                () async -> Result<TransferRequest, AuthenticationError> in
                var request = plain
                do throws(AuthenticationError) {
                    try await authenticator.authorize(&request)
                    return .success(request)
                } catch {
                    return .failure(error)
                }
            }
        }
        progress.waited += waited
        var request = try result.get()
        request.timeouts.total = plain.timeouts.total.map { max($0 - waited, .milliseconds(1)) }
        return request
    }

    private func keepCookies(of head: ResponseHead, from url: HTTPURL) {
        guard let cookies = session.cookies else { return }
        let fields = head.headers.filter { $0.name == .setCookie }
        if !fields.isEmpty { cookies.store(fields.map(\.value), from: url) }
    }

    /// Whether the same request is to be sent again with another proof of who asks.
    private func shallRepeat(
        after head: ResponseHead, of request: TransferRequest, _ progress: inout Progress
    ) async throws(SessionError) -> Bool {
        guard head.status == 401, progress.chain.carriesCredentials, let authenticator = session.authenticator
        else { return false }
        switch await authenticator.challenge(head, for: request, retries: progress.challenges) {
        case .retry:
            break
        case .giveUp(let reason):
            progress.refusal = reason
            return false
        }
        progress.challenges += 1
        // Without the credentials, which may be in the URL that was sent.
        observer.emit(.challenged(progress.chain.request.url))
        try progress.chain.prepareToRepeat()
        await sink.discard()
        return true
    }

    // MARK: The end

    private func response(_ head: ResponseHead, _ progress: Progress) -> SessionResponse {
        SessionResponse(
            head: head, url: progress.chain.request.url, redirects: progress.chain.redirects,
            serializer: prepared.responseSerializer.kinds[0], secrets: prepared.secrets)
    }

    private func failed(
        _ error: TransferError, _ transfer: TransferOutcome, _ progress: Progress,
        _ suspension: AttemptControl.Suspension
    ) async -> SessionOutcome {
        await sink.discard()
        var outcome = SessionOutcome(
            response: transfer.head.map { response($0, progress) },
            error: progress.errorOfAttempt(SessionError(error)), metrics: progress.metrics)
        // Another attempt begins with the first request, not with the one that a redirect has led to.
        let mayHaveArrived =
            error.mayHaveArrived || transfer.metrics.bytesSent > 0 || progress.chain.redirects > 0
        switch suspension {
        case .none:
            return outcome
        case .survived:
            // What a connection does not survive while nobody reads from it is no fault of the request.
            guard error.code == .connectionLost else { return outcome }
        case .expired:
            // What failed by itself meanwhile has its own reason.
            guard error.code == .canceled || error.code == .connectionLost else { return outcome }
            outcome.error = Self.suspendedTooLong(mayHaveArrived)
        }
        outcome.mayRestart = mayRestart(mayHaveArrived)
        return outcome
    }

    /// The end of an attempt that was suspended for too long between its hops, or before the first.
    private func expired(_ progress: Progress) async -> SessionOutcome {
        await sink.discard()
        if let canceled = control.canceled { return SessionOutcome(error: canceled, metrics: progress.metrics) }
        let mayHaveArrived = progress.metrics.bytesSent > 0 || progress.chain.redirects > 0
        var outcome = SessionOutcome(
            error: Self.suspendedTooLong(mayHaveArrived), metrics: progress.metrics)
        outcome.mayRestart = mayRestart(mayHaveArrived)
        return outcome
    }

    private static func suspendedTooLong(_ mayHaveArrived: Bool) -> SessionError {
        SessionError(
            .connectionLost, "The connection was closed, as the task was suspended for too long",
            mayHaveArrived: mayHaveArrived)
    }

    private func mayRestart(_ mayHaveArrived: Bool) -> Bool {
        (prepared.transfer.mayResend || !mayHaveArrived) && HopChain.canBeSentAgain(prepared.transfer.body)
    }

    private func read(
        _ head: ResponseHead, _ receiver: HopReceiver, _ progress: Progress
    ) async -> SessionOutcome {
        var outcome = SessionOutcome(response: response(head, progress), metrics: progress.metrics)
        do throws(TransferError) {
            let body = try await sink.finish()
            outcome.response?.body = body
            let reader = ResponseReader(prepared.responseSerializer, session.configuration.response)
            let reading = try await reader.read(head, body)
            outcome.response?.object = reading.object
            outcome.response?.serializer = reading.serializer
            outcome.error = reading.error
        } catch {
            outcome.error = SessionError(error)
        }
        if let refusal = progress.refusal, let error = outcome.error, error.code == .unacceptableStatus,
            error.underlying == nil
        {
            outcome.error = error.because(of: SessionError(.authenticationFailed, refusal))
        }
        switch receiver.verdict {
        case .response, .follow:
            break
        case .refused(let refusal):
            if let status = outcome.error, !session.configuration.response.acceptableStatuses.contains(head.status) {
                outcome.error = refusal.because(of: status)
            }
        case .failed(let failure):
            outcome.error = failure.because(of: outcome.error)
        }
        return outcome
    }
}

extension SessionError {
    /// The same error with another behind it.
    fileprivate func because(of underlying: SessionError?) -> SessionError {
        var error = self
        error.underlying = underlying
        return error
    }
}
