import ErrandTaskStore

extension TaskKind {
    /// The handler of the kind.
    var handler: any TaskKindHandler {
        switch self {
        // Uploads are not created in this version; a stored one is handled like any request.
        case .data, .upload: DataTaskHandler()
        case .download: DownloadTaskHandler()
        case .callback: CallbackDeliveryHandler()
        }
    }
}
