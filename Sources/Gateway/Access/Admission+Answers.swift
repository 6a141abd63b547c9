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
}
