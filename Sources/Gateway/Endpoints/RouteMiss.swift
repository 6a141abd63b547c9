import HTTPServer
import HTTPTypes

/// What is answered when no route takes a request.
enum RouteMiss {
    @Sendable static func answer(_ head: RequestHead, _ miss: Router.Miss) -> HTTPServer.Admission {
        switch miss {
        case .unknownPath:
            .answer(head.answer(.notFound, "there is nothing at this path; GET / lists what there is"))
        case .methodNotAllowed(let allow):
            .answer(
                head.answer(
                    .methodNotAllowed, "\(head.method.rawValue) is not one of \(allow)", headers: [.allow: allow]))
        case .options(let allow):
            .answer(ServerResponse(status: .noContent, headers: options(allow)))
        }
    }

    /// What `OPTIONS` is answered with: where changes can be sent, also as what (RFC 5789 §3.1).
    private static func options(_ allow: String) -> HTTPFields {
        var headers: HTTPFields = [.allow: allow]
        if allow.split(separator: ", ").contains("PATCH") { headers[.acceptPatch] = JSONContent.mergePatch }
        return headers
    }
}
