package import ErrandHTTPServer

extension RequestDisposition {
    /// Returns a disposition that applies `change` to every response it leads to.
    package func changingResponses(_ change: @escaping @Sendable (inout ServerResponse) -> Void) -> Self {
        switch self {
        case .immediate(var response):
            change(&response)
            return .immediate(response)
        case .deferred(let respond):
            return .deferred {
                var response = await respond()
                change(&response)
                return response
            }
        case .buffered(let limitBytes, let tooLarge, let respond):
            let changedTooLarge: @Sendable () -> ServerResponse = {
                var response = tooLarge()
                change(&response)
                return response
            }
            return .buffered(limitBytes: limitBytes, tooLarge: changedTooLarge) { body in
                respond(body).changingResponse(change)
            }
        case .streamed(let respond):
            return .streamed { body in
                var response = await respond(body)
                change(&response)
                return response
            }
        }
    }

    /// Returns a disposition that calls `observe` with its response.
    ///
    /// Except the response to a body that is too large: the server sends it, and the endpoint did nothing.
    func observingResponses(_ observe: @escaping @Sendable (ServerResponse) -> Void) -> Self {
        let observed: @Sendable (inout ServerResponse) -> Void = { response in observe(response) }
        guard case .buffered(let limitBytes, let tooLarge, let respond) = self else {
            return changingResponses(observed)
        }
        return .buffered(limitBytes: limitBytes, tooLarge: tooLarge) { body in
            respond(body).changingResponse(observed)
        }
    }
}

extension ResponseDisposition {
    /// Returns a disposition that applies `change` to its response.
    fileprivate func changingResponse(_ change: @escaping @Sendable (inout ServerResponse) -> Void) -> Self {
        switch self {
        case .immediate(var response):
            change(&response)
            return .immediate(response)
        case .deferred(let respond):
            return .deferred {
                var response = await respond()
                change(&response)
                return response
            }
        }
    }
}
