package import ErrandSessionCore

extension CircuitBreaker.Outcome {
    /// Returns the outcome of an attempt, as a statement about its upstream.
    ///
    /// | the attempt | outcome |
    /// | --- | --- |
    /// | failed to connect, failed in TLS, lost the connection, or timed out | failure |
    /// | got a status from 500 to 599 | failure |
    /// | got status 429, which is about the client | neutral |
    /// | got another status | success |
    /// | ended for a local reason: canceled, deadline, suspension, policy, request, files, no descriptor or port | neutral |
    package init(_ attempt: EndedAttempt) {
        switch (attempt.error, attempt.status) {
        case (.none, _): self = .success
        case (.some(let error), _) where attempt.wasLostToSuspension || error.isLocal: self = .neutral
        case (.some(let error), _) where error.isUnreachable: self = .failure
        case (.some(let error), .some(let status)) where error.domain == .response || error.domain == .transport:
            self = if status >= 500 { .failure } else if status == 429 { .neutral } else { .success }
        case (.some, _): self = .neutral
        }
    }
}

extension SessionError {
    /// A Boolean value that indicates whether the upstream was unreachable, untrusted, or lost during the transfer.
    fileprivate var isUnreachable: Bool {
        switch domain {
        case .tls: true
        // The upstream has refused a token that is good elsewhere.
        case .transport: isRetryable && code != .authenticationFailed
        case .request, .response, .file, .policy, .gateway: false
        }
    }
}
