package import ErrandHTTPServer

extension RequestDisposition {
    /// Returns a disposition that applies `change` to every response it leads to.
    package func mappingResponses(_ change: @escaping @Sendable (ServerResponse) -> ServerResponse) -> Self {
        switch self {
        case .immediate(let response):
            return .immediate(change(response))
        case .deferred(let respond):
            return .deferred { change(await respond()) }
        case .buffered(let limitBytes, let tooLarge, let respond):
            return .buffered(limitBytes: limitBytes, tooLarge: { change(tooLarge()) }) { body in
                switch respond(body) {
                case .immediate(let response): .immediate(change(response))
                case .deferred(let respond): .deferred { change(await respond()) }
                }
            }
        case .streamed(let respond):
            return .streamed { change(await respond($0)) }
        }
    }

    /// Returns a disposition that calls `observe` with its response.
    ///
    /// Except the response to a body that is too large: the server sends it, and the endpoint did nothing.
    func observingResponses(_ observe: @escaping @Sendable (ServerResponse) -> Void) -> Self {
        let observed: @Sendable (ServerResponse) -> ServerResponse = { response in
            observe(response)
            return response
        }
        guard case .buffered(let limitBytes, let tooLarge, let respond) = self else {
            return mappingResponses(observed)
        }
        return .buffered(limitBytes: limitBytes, tooLarge: tooLarge) { body in
            switch respond(body) {
            case .immediate(let response): .immediate(observed(response))
            case .deferred(let respond): .deferred { observed(await respond()) }
            }
        }
    }
}
