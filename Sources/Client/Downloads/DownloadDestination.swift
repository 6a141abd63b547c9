public import ErrandTransfer
import HTTPTypes

/// The path of a downloaded file.
///
/// ```swift
/// try await api.download("reports/7", to: "/srv/reports/7.pdf")
/// try await api.download("reports/7", to: .suggested(in: "/srv/reports"))
/// try await api.download("reports/7", to: .chosen { head in head.status == 200 ? "/srv/a" : "/srv/b" })
/// ```
///
/// A relative path is relative to the working directory. The folder must exist, unless
/// ``DownloadOptions/createsFolders`` is set, and must be writable. Symbolic links in the path of the folder are
/// followed, but never one in the place of the file.
public enum DownloadDestination: Sendable {
    /// A path that is known in advance.
    case path(String)
    /// A file in a folder, with the name that the response suggests: `SessionResponse.suggestedFilename`.
    ///
    /// Several responses may suggest the same name: ``DownloadOptions/onConflict`` says what happens then.
    case suggested(in: String)
    /// A path that depends on the head of the response.
    ///
    /// The closure is called once, on a thread for files, before the first byte is written; its path also applies to
    /// further attempts of the download. It must not trust the names in the response: a name with slashes leads to
    /// another folder.
    case chosen(@Sendable (ResponseHead) -> String)

    /// Returns the path for a response.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - url: The URL that responded.
    func path(for head: ResponseHead, from url: String) -> String {
        switch self {
        case .path(let path):
            return path
        case .suggested(let folder):
            let field = head.headers[.contentDisposition]
            let name = SuggestedFileNames(contentDisposition: field, url: url).filename
            return folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        case .chosen(let choose):
            return choose(head)
        }
    }
}

extension DownloadDestination: ExpressibleByStringInterpolation {
    /// Creates a ``path(_:)``.
    public init(stringLiteral value: String) {
        self = .path(value)
    }
}
