import ErrandHTTPGrammar
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The size limit of the content of a response that is stored in the body files.
enum ContentLimit: Sendable {
    /// The same for all responses, in bytes.
    case fixed(Int64)
    /// Another one for acceptable responses than for failures.
    case byHead(accepted: Int64, ResponseConfiguration)

    /// Creates the limit of a task without one of its own: the session's settings `max_body`, `over_limit` and
    /// `become_download_types`.
    ///
    /// Content that no serializer reads costs only space on the disk. So it has no limit unless the session sets one.
    init(of request: PreparedRequest, in session: Session) {
        let rules = session.configuration.response
        let disposition = rules.disposition
        let isUnread = !disposition.hasOwnLimit && request.responseSerializer.kinds == [.raw]
        if isUnread || disposition.overLimit == .becomeDownload {
            self = .byHead(accepted: .max, rules)
        } else if disposition.becomeDownloadTypes.isEmpty {
            self = .fixed(disposition.maxBodyBytes)
        } else {
            self = .byHead(accepted: disposition.maxBodyBytes, rules)
        }
    }

    /// Creates the limit of a task with an own one for acceptable responses; others have the session's.
    init(accepted: Int64, in session: Session) {
        self = .byHead(accepted: accepted, session.configuration.response)
    }

    /// Returns the limit of the content of a response, in bytes.
    func maxBytes(of head: ResponseHead) -> Int64 {
        switch self {
        case .fixed(let limit):
            return limit
        case .byHead(let accepted, let rules):
            guard rules.acceptableStatuses.contains(head.status) else {
                return min(accepted, rules.disposition.maxBodyBytes)
            }
            let type = head.headers[.contentType].flatMap { MediaType(field: $0) }
            return rules.disposition.hasDownloadType(type) ? .max : accepted
        }
    }
}
