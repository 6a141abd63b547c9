import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore

/// The kinds of tasks that clients can create.
enum ClientTaskKind: String, Sendable, CaseIterable {
    case data
    case download
    case upload

    /// The other kinds, with the reason for which a client's document cannot have them.
    static let refused = [
        "callback": "only the gateway creates callback tasks; use the member callback"
    ]

    /// The kind of the created task.
    var kind: TaskKind {
        switch self {
        case .data: .data
        case .download: .download
        case .upload: .upload
        }
    }

    /// The handler of the kind.
    var handler: any ClientTaskKindHandler {
        switch self {
        case .data: DataTaskHandler()
        case .download: DownloadTaskHandler()
        case .upload: UploadTaskHandler()
        }
    }
}

/// The handler of a kind whose tasks clients create.
protocol ClientTaskKindHandler: TaskKindHandler {
    /// Reads the members of a client's document that make the request; the other members are common to all kinds.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - document: The document that contains it.
    ///   - session: The session of the task; `nil` if the document names none that exists.
    ///   - problems: Collects the errors of the members.
    func read(
        _ task: inout JSONObjectReader, of document: JSONDocument, for session: Session?, _ problems: JSONProblems
    ) -> TaskRequest

    /// Returns true if the client sends the content of the request separately, after the task.
    ///
    /// Default: false.
    func awaitsContent(_ request: TaskRequest) -> Bool
}

extension ClientTaskKindHandler {
    func awaitsContent(_ request: TaskRequest) -> Bool { false }
}
