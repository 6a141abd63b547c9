import ErrandTaskStore

extension TaskKind {
    /// The handler of the kind.
    var handler: any TaskKindHandler {
        switch self {
        // Uploads and downloads are not created in this version; a stored one is handled like any request.
        case .data, .upload, .download: DataTaskHandler()
        case .callback: CallbackDeliveryHandler()
        }
    }
}
