import ErrandHTTPServer
import ErrandLocking
import HTTPTypes

/// A handler that records requests, and responds with their target and content.
final class RequestRecorder: HTTPHandler {
    /// The recorded requests.
    struct Seen: Sendable {
        /// The targets of the requests, when their heads have arrived.
        var heads: [String] = []
        /// The contents of the complete requests.
        var contents: [String] = []
    }

    let seen = Mutex(Seen())

    func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        seen.withLock { $0.heads.append(head.target.raw) }
        let tooLarge: @Sendable () -> ServerResponse = { ServerResponse(status: .contentTooLarge) }
        return .buffered(limitBytes: 1000, tooLarge: tooLarge) { [self] content in
            let text = String(decoding: content, as: UTF8.self)
            seen.withLock { $0.contents.append(text) }
            return .immediate(.text("\(head.target.raw) \(text)"))
        }
    }
}
