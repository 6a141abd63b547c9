package import ErrandHTTPServer

extension RequestDisposition {
    /// Returns a disposition that applies `change` to every response it leads to.
    package func changingResponses(_ change: @escaping @Sendable (inout ServerResponse) -> Void) -> Self {
        switch self {
        case .immediate(let response):
            .immediate(response.changed(by: change))
        case .deferred(let respond):
            .deferred { await respond().changed(by: change) }
        case .buffered(let limitBytes, let tooLarge, let respond):
            .buffered(limitBytes: limitBytes, tooLarge: { tooLarge().changed(by: change) }) { body in
                respond(body).changingResponse(change)
            }
        case .streamed(let respond):
            .streamed { body in await respond(body).changed(by: change) }
        }
    }

    /// Returns a disposition that calls `observe` with its response.
    ///
    /// Except the response to a body that is too large: the server sends it, and the endpoint did nothing.
    func observingResponses(_ observe: @escaping @Sendable (ServerResponse) -> Void) -> Self {
        let observed = changingResponses { response in observe(response) }
        guard case .buffered(let limitBytes, let tooLarge, _) = self, case .buffered(_, _, let respond) = observed
        else { return observed }
        return .buffered(limitBytes: limitBytes, tooLarge: tooLarge, respond)
    }
}

extension ResponseDisposition {
    /// Returns a disposition that applies `change` to its response.
    fileprivate func changingResponse(_ change: @escaping @Sendable (inout ServerResponse) -> Void) -> Self {
        switch self {
        case .immediate(let response): .immediate(response.changed(by: change))
        case .deferred(let respond): .deferred { await respond().changed(by: change) }
        }
    }
}

extension ServerResponse {
    /// Returns this response after `change`.
    fileprivate consuming func changed(by change: (inout ServerResponse) -> Void) -> Self {
        change(&self)
        return self
    }
}
