package import HTTPServer

extension HTTPServer.Admission {
    /// The same admission with every answer that it may lead to changed by `change`.
    package func mappingAnswers(_ change: @escaping @Sendable (ServerResponse) -> ServerResponse) -> Self {
        switch self {
        case .answer(let response):
            return .answer(change(response))
        case .bodyless(let respond):
            return .bodyless { change(await respond()) }
        case .buffered(let limitBytes, let tooLarge, let respond):
            return .buffered(limitBytes: limitBytes, tooLarge: change(tooLarge)) { body in
                switch respond(body) {
                case .now(let response): .now(change(response))
                case .later(let respond): .later { change(await respond()) }
                }
            }
        case .streamed(let respond):
            return .streamed { change(await respond($0)) }
        }
    }

    /// The same admission, with `observe` called with the answer when there is one.
    ///
    /// The answer to a body that is too large is not among them: the server gives it by itself, and nothing was done.
    func observingAnswers(_ observe: @escaping @Sendable (ServerResponse) -> Void) -> Self {
        let observed: @Sendable (ServerResponse) -> ServerResponse = { response in
            observe(response)
            return response
        }
        guard case .buffered(let limitBytes, let tooLarge, let respond) = self else { return mappingAnswers(observed) }
        return .buffered(limitBytes: limitBytes, tooLarge: tooLarge) { body in
            switch respond(body) {
            case .now(let response): .now(observed(response))
            case .later(let respond): .later { observed(await respond()) }
            }
        }
    }
}
