package import SessionCore

extension CircuitBreaker.Outcome {
    /// What an attempt has told of its upstream.
    ///
    /// | the attempt | is |
    /// | --- | --- |
    /// | got no connection, no TLS, or lost the connection, or took too long | a failure |
    /// | was answered with 500 to 599 | a failure |
    /// | was answered with 429, which is about the client | neutral |
    /// | was answered otherwise | a success |
    /// | ended for a reason of its own: canceled, its deadline, a policy, its request, its files | neutral |
    package init(_ attempt: EndedAttempt) {
        switch (attempt.error, attempt.status) {
        case (.none, _): self = .success
        case (.some(let error), _) where error.isUnreachable: self = .failure
        case (.some(let error), .some(let status)) where error.domain == .response || error.domain == .transport:
            self = if status >= 500 { .failure } else if status == 429 { .neutral } else { .success }
        case (.some, _): self = .neutral
        }
    }
}

extension SessionError {
    /// The upstream could not be reached, or not as one that can be trusted, or was lost on the way.
    fileprivate var isUnreachable: Bool {
        switch domain {
        case .tls: true
        case .transport: isRetryable
        case .request, .response, .file, .policy, .gateway: false
        }
    }
}
