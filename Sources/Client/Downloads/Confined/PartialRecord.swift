import ErrandCryptography
import ErrandJSON
import ErrandText

/// The record by which a partial file is resumed: a value, with its form in a file.
///
/// Contains no secret: of the URL only its hash.
struct PartialRecord: Sendable, Hashable {
    /// The strong validator of the content.
    var validator: String
    /// The number of bytes of the whole content; `nil` if unknown.
    var total: Int64?
    /// The media type of the content; `nil` if unknown.
    var contentType: String?
    /// The value of `Content-Disposition`, from which the file is named; `nil` if unknown.
    var contentDisposition: String?
    /// The bytes that were in the file when the record was written; `nil` if these are all bytes of the file, however
    /// many it has.
    var written: ByteRanges?
    /// The bytes that were on the medium when the record was written.
    var synchronized: ByteRanges
    /// The identifier of the run of the system; `nil` if unknown.
    var boot: String?
    private var urlHash: String

    /// The maximum length of a field of the response in a record, in bytes of UTF-8; a longer one is not recorded.
    static let maxFieldBytes = 4096
    /// The maximum length of a record in a file, in bytes, which none exceeds even if all of its texts are escaped.
    static let maxBytes = 128 << 10

    /// Creates a record.
    init(_ data: DownloadResumeData, written: ByteRanges? = nil, synchronized: ByteRanges, boot: String?) {
        validator = data.validator
        total = data.total
        contentType = Self.short(data.contentType)
        contentDisposition = Self.short(data.contentDisposition)
        self.written = written
        self.synchronized = synchronized
        self.boot = boot
        urlHash = Self.hash(of: data.url)
    }

    /// Returns the value of a field; `nil` if it is too long for a record.
    static func short(_ field: String?) -> String? {
        field.flatMap { $0.utf8.count <= maxFieldBytes ? $0 : nil }
    }

    /// Returns true if the content is that of a URL.
    func isOf(_ url: String) -> Bool { urlHash == Self.hash(of: url) }

    private static func hash(of url: String) -> String {
        Hexadecimal.encode(SHA256.hash(Array(url.utf8)))
    }

    // MARK: The form in a file

    /// The version of a record of bytes from the first on.
    private static let version = 1
    /// The version of a record of ranges.
    private static let rangesVersion = 2
    /// The maximum number of ranges in a record; a download has fewer than two for each of its connections.
    private static let maxRanges = 64

    /// Reads a record; `nil` if it is incomplete, or of another version.
    init?(_ bytes: [UInt8]) {
        guard let members = try? JSONDocument.parse(bytes).root.object,
            let version = members["version"]?.integer, let urlHash = members["url_sha256"]?.string,
            let validator = members["validator"]?.string
        else { return nil }
        switch version {
        case Int64(Self.version):
            guard let synchronized = members["synchronized"]?.integer, synchronized >= 0 else { return nil }
            self.synchronized = ByteRanges([0..<synchronized])
        case Int64(Self.rangesVersion):
            guard let written = members["written"]?.ranges, let synchronized = members["synchronized"]?.ranges
            else { return nil }
            self.written = written
            self.synchronized = synchronized
        default:
            return nil
        }
        self.validator = validator
        self.urlHash = urlHash
        total = members["total"]?.integer
        contentType = members["content_type"]?.string
        contentDisposition = members["content_disposition"]?.string
        boot = members["boot"]?.string
    }

    /// The form in a file: a JSON object.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", written == nil ? Self.version : Self.rangesVersion)
        writer.member("url_sha256", urlHash)
        writer.member("validator", validator)
        writer.member("total", total)
        if let contentType { writer.member("content_type", contentType) }
        if let contentDisposition { writer.member("content_disposition", contentDisposition) }
        if let written {
            writer.member("written")
            Self.write(written, to: &writer)
            writer.member("synchronized")
            Self.write(synchronized, to: &writer)
        } else {
            writer.member("synchronized", synchronized.prefix)
        }
        writer.member("boot", boot)
        writer.endObject()
        return writer.bytes
    }
}

extension PartialRecord {
    private static func write(_ ranges: ByteRanges, to writer: inout JSONWriter) {
        writer.beginArray()
        for range in ranges.ranges.prefix(maxRanges) {
            writer.beginArray()
            writer.int(range.lowerBound)
            writer.int(range.upperBound)
            writer.endArray()
        }
        writer.endArray()
    }
}

extension JSONValue {
    /// The value as a list of pairs, each a first byte and the position after the last one; `nil` for anything else.
    fileprivate var ranges: ByteRanges? {
        guard let array else { return nil }
        var ranges = ByteRanges()
        for item in array {
            guard let ends = item.array, ends.count == 2, let first = ends[0].integer, let end = ends[1].integer,
                0 <= first, first <= end
            else { return nil }
            ranges.insert(first..<end)
        }
        return ranges
    }

    /// The value as a whole number; `nil` for anything else.
    fileprivate var integer: Int64? {
        guard let number else { return nil }
        return Int64(number.lexeme)
    }
}
