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
