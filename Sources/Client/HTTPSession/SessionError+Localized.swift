public import ErrandDownloads
public import ErrandSessionCore
public import FoundationEssentials

// The errors as Foundation shows them: without this, `localizedDescription` says nothing but the name of the type.

extension SessionError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension DownloadError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
