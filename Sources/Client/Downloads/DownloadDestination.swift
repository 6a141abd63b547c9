public import ErrandTransfer

/// The path of a downloaded file.
///
/// ```swift
/// try await api.download("reports/7", to: "/srv/reports/7.pdf")
/// try await api.download("reports/7", to: .chosen { head in head.status == 200 ? "/srv/a" : "/srv/b" })
/// ```
///
/// A relative path is relative to the working directory. The folder must exist, unless
/// ``DownloadOptions/createsFolders`` is set, and must be writable. Symbolic links in the path of the folder are
/// followed, but never one in the place of the file.
public enum DownloadDestination: Sendable {
    /// A path that is known in advance.
    case path(String)
    /// A path that depends on the head of the response.
    ///
    /// The closure is called once, on a thread for files, before the first byte is written. It must not trust the
    /// names in the response: a name with slashes leads to another folder.
    case chosen(@Sendable (ResponseHead) -> String)

    /// Returns the path for a response.
    func path(for head: ResponseHead) -> String {
        switch self {
        case .path(let path): path
        case .chosen(let choose): choose(head)
        }
    }
}

extension DownloadDestination: ExpressibleByStringInterpolation {
    /// Creates a ``path(_:)``.
    public init(stringLiteral value: String) {
        self = .path(value)
    }
}
