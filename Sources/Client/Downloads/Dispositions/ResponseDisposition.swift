public import ErrandSessionCore

/// The decision about a response, made when its head has come.
public enum ResponseDisposition: Sendable {
    /// The content is read as a stream.
    case allow
    /// The response is refused: its connection is closed at once.
    case cancel
    /// The content becomes a file.
    case download(to: DownloadDestination, options: DownloadOptions = DownloadOptions())
}

/// A response after the decision about it.
public enum DisposedResponse: Sendable {
    /// The content is read while it comes.
    case stream(StreamedResponse)
    /// The content is being written to a file.
    ///
    /// The task is running. Releasing it does not cancel it.
    case download(DownloadTask)
}
