/// The data from which an interrupted download is resumed.
///
/// ```swift
/// let saved = try JSONEncoder().encode(data)
/// let file = try await api.download(resuming: data, to: "/srv/image.iso")
/// ```
///
/// The data refer to a partial file, which remains until it is resumed or removed by the program: its path is
/// ``partialPath``. They stay valid after the end of the process, even by a crash: a resumed download continues at the
/// end of the partial file, at most at ``received``. A download over several connections continues with what is missing
/// between its ``ranges``.
///
/// A program that stores the data should protect them: the URL may contain secrets, and the partial file is overwritten
/// wherever its path leads.
public struct DownloadResumeData: Codable, Sendable, Hashable {
    /// The version of the format: 2 for data with ``ranges``, which earlier versions of this library do not continue;
    /// otherwise 1.
    public var version: Int
    /// The requested URL.
    public var url: String
    /// The strong validator of the content: an entity tag with its quotes, or a date of `Last-Modified`.
    ///
    /// With any other validator the download starts at the first byte.
    public var validator: String
    /// The number of bytes that were received.
    public var received: Int64
    /// The positions of the received bytes, if others are missing between them, in order; `nil` if they are the first of
    /// the content.
    public var ranges: [Range<Int64>]?
    /// The number of bytes of the whole content, or `nil` if unknown.
    public var total: Int64?
    /// The path of the partial file.
    public var partialPath: String
    /// The media type of the content, which the response with the rest need not state again; `nil` if unknown.
    package var contentType: String?
    /// The value of `Content-Disposition`, from which the file is named, and which the response with the rest need not
    /// state again; `nil` if unknown.
    package var contentDisposition: String?

    /// The newest version of the format that this library writes; it reads the earlier ones too.
    public static let currentVersion = 2

    /// Creates resume data from their parts.
    public init(url: String, validator: String, received: Int64, total: Int64? = nil, partialPath: String) {
        version = 1
        self.url = url
        self.validator = validator
        self.received = received
        self.total = total
        self.partialPath = partialPath
    }
}

extension DownloadResumeData {
    /// Creates the data of a partial file with these bytes.
    init(url: String, validator: String, written: ByteRanges, total: Int64?, partialPath: String) {
        self.init(
            url: url, validator: validator, received: written.count, total: total, partialPath: partialPath)
        guard written.ranges.count > 1 else { return }
        version = Self.currentVersion
        ranges = written.ranges
    }

    /// The bytes in the partial file; `nil` if the data cannot be used.
    var written: ByteRanges? {
        switch version {
        case 1:
            return received > 0 ? ByteRanges([0..<received]) : nil
        case 2:
            guard let ranges, let total, ranges.allSatisfy({ $0.lowerBound >= 0 }) else { return nil }
            let written = ByteRanges(ranges)
            return written.end <= total ? written : nil
        default:
            return nil
        }
    }
}
