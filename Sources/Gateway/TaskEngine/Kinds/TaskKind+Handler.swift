import ErrandTaskStore

extension TaskKind {
    /// The handler of the kind.
    var handler: any TaskKindHandler {
        switch self {
        case .data: DataTaskHandler()
        case .upload: UploadTaskHandler()
        case .download: DownloadTaskHandler()
        case .callback: CallbackDeliveryHandler()
        }
    }
}
