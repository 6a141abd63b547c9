import ErrandAuthentication
import ErrandCookies
import ErrandTime
import ErrandTransfer
import HTTPTypes

// The request of a hop: its remaining time, cookies, credentials and pace.

extension Attempt {
    /// Begins the request of the next hop, with the remaining time and cookies, without credentials.
    @inline(never)
    func beginRequest() throws(SessionError) {
        request = chain.request
        try limit(&request)
        if case .source(let source) = request.body, reporter.isHeard {
            request.body = .source(ReportedSource(source, reporter))
        }
        if chain.carriesCookies, let cookies = session.cookies?.header(for: request.url) {
            // Append a field: setting the value of Cookie would split it into several fields.
            request.headers.append(HTTPField(name: .cookie, value: cookies))
        }
    }

    /// Loads the session's cookies from its storage.
    ///
    /// Canceling the attempt does not wait for the storage, and the wait counts towards the total timeout.
    @inline(never)
    func load(_ cookies: SessionCookies) async throws(SessionError) {
        let result = await perform { await cookies.prepareUnlessCanceled() }
        try checkTime()
        switch result {
        case .success?: break
        case .failure?:
            throw SessionError(.internal, "The session's cookies could not be loaded", isRetryable: true)
        case nil: throw .canceled
        }
    }

    /// Adds the credentials to the request.
    @inline(never)
    func authorize(by authenticator: Authenticator) async throws(SessionError) {
        if challenges.authorize(&self.request) { return }
        var request = request
        do throws(AuthenticationError) {
            if authenticator.needsNetwork {
                request = try await withToken(of: authenticator, for: request)
            } else {
                try await authenticator.authorize(&request)
            }
            self.request = request
        } catch {
            // If fetching the token used up the time, the timeout takes precedence over the error that it caused.
            try limit(&request)
            throw SessionError(error)
        }
    }

    /// The maximum number of bytes of content from memory that is sent without reports of its progress.
    private static let maxUnreportedBytes = 16 << 10

    /// Returns the request with paced content.
    ///
    /// Called after signing, because the content itself is signed.
    @inline(never)
    func paced(_ request: TransferRequest) -> TransferRequest {
        var request = request
        switch request.body {
        case .source(let source):
            request.body = .source(PacedSource(source, control.sending))
        case .bytes(let bytes) where observer.progress != nil && bytes.count > Self.maxUnreportedBytes:
            request.body = .source(PacedSource(ReportedSource(MemorySource(bytes), reporter), control.sending))
        case .bytes(let bytes) where control.sending.isLimited:
            request.body = .source(PacedSource(MemorySource(bytes), control.sending))
        case .none, .bytes:
            break
        }
        return request
    }

    /// Sets the remaining part of the total timeout.
    private func limit(_ request: inout TransferRequest) throws(SessionError) {
        guard let total = chain.request.timeouts.total else { return }
        let left = total - metrics.active - waited
        guard left > .zero else { throw Self.overdue(after: total) }
        request.timeouts.total = left
    }

    /// Returns the error of an attempt that exceeded its total timeout.
    static func overdue(after total: Duration) -> SessionError {
        SessionError(.timedOut, "The attempt did not end within timeouts.total = \(total.shortText)")
    }

    /// Adds a token, which may have to be fetched first.
    ///
    /// Canceling the attempt does not wait for the fetch, and its duration counts towards the total timeout.
    @inline(never)
    private func withToken(
        of authenticator: Authenticator, for plain: TransferRequest
    ) async throws(AuthenticationError) -> TransferRequest {
        let (result, duration) = await control.awaitWork(within: plain.timeouts.total, by: session.time) {
            () async -> Result<TransferRequest, AuthenticationError> in
            var request = plain
            do throws(AuthenticationError) {
                try await authenticator.authorize(&request)
                return .success(request)
            } catch {
                return .failure(error)
            }
        }
        waited += duration
        var request = try result.get()
        request.timeouts.total = plain.timeouts.total.map { max($0 - duration, .milliseconds(1)) }
        return request
    }
}
