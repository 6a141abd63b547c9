import ErrandHTTPGrammar
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The size limit of the content of a response that is stored in the body files.
enum ContentLimit: Sendable {
    /// The same for all responses, in bytes.
    case fixed(Int64)
    /// One for acceptable responses, and that of the session for the others.
    indirect case byHead(accepted: Int64, downloadTypes: Bool, PreparedRequest, ResponseConfiguration)

    /// Creates the limit of a task without one of its own: the session's settings `max_body`, `over_limit` and
    /// `become_download_types`.
    ///
    /// Content that no serializer reads costs only space on the disk. So it has no limit unless the session sets one.
    @inline(never)
    init(of request: PreparedRequest, in session: Session) {
        let disposition = session.configuration.response.disposition
        let isUnread = !disposition.hasOwnLimit && request.responseSerializer.kinds == [.raw]
        let accepted = isUnread || disposition.overLimit == .becomeDownload ? .max : disposition.maxBodyBytes
        if accepted < .max, disposition.becomeDownloadTypes.isEmpty {
            self = .fixed(accepted)
        } else {
            self = .byHead(accepted: accepted, downloadTypes: true, request, session.configuration.response)
        }
    }

    /// Creates the limit of a task with an own one for acceptable responses.
    init(accepted: Int64, of request: PreparedRequest, in session: Session) {
        self = .byHead(accepted: accepted, downloadTypes: false, request, session.configuration.response)
    }

    /// Returns the limit of the content of a response, in bytes.
    func maxBytes(of head: ResponseHead) -> Int64 {
        switch self {
        case .fixed(let limit):
            return limit
        case .byHead(let accepted, let downloadTypes, let request, let rules):
            guard request.isAcceptable(head, under: rules) else {
                return min(accepted, rules.disposition.maxBodyBytes)
            }
            guard downloadTypes else { return accepted }
            let type = head.headers[.contentType].flatMap { MediaType(field: $0) }
            return rules.disposition.hasDownloadType(type) ? .max : accepted
        }
    }
}
