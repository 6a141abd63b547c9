/// The data from which an interrupted download is resumed.
///
/// ```swift
/// let saved = try JSONEncoder().encode(data)
/// let file = try await api.download(resuming: data, to: "/srv/image.iso")
/// ```
///
/// The data refer to a partial file, which remains until it is resumed or removed by the program: its path is
/// ``partialPath``. They stay valid after the end of the process, even by a crash: a resumed download continues at the
/// end of the partial file, at most at ``received``.
///
/// A program that stores the data should protect them: the URL may contain secrets, and the partial file is overwritten
/// wherever its path leads.
public struct DownloadResumeData: Codable, Sendable, Hashable {
    /// The version of the format: 1.
    public var version: Int
    /// The requested URL.
    public var url: String
    /// The strong validator of the content: an entity tag with its quotes, or a date of `Last-Modified`.
    ///
    /// With any other validator the download starts at the first byte.
    public var validator: String
    /// The number of bytes in the partial file.
    public var received: Int64
    /// The number of bytes of the whole content, or `nil` if unknown.
    public var total: Int64?
    /// The path of the partial file.
    public var partialPath: String

    /// The version of the format that this library writes and reads.
    public static let currentVersion = 1

    /// Creates resume data from their parts.
    public init(url: String, validator: String, received: Int64, total: Int64? = nil, partialPath: String) {
        version = Self.currentVersion
        self.url = url
        self.validator = validator
        self.received = received
        self.total = total
        self.partialPath = partialPath
    }
}
