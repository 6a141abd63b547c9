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
    /// The number of bytes that were on the medium when the record was written.
    var synchronized: Int64
    /// The identifier of the run of the system; `nil` if unknown.
    var boot: String?
    private var urlHash: String

    /// Creates a record.
    init(_ data: DownloadResumeData, synchronized: Int64, boot: String?) {
        validator = data.validator
        total = data.total
        self.synchronized = synchronized
        self.boot = boot
        urlHash = Self.hash(of: data.url)
    }

    /// Returns true if the content is that of a URL.
    func isOf(_ url: String) -> Bool { urlHash == Self.hash(of: url) }

    private static func hash(of url: String) -> String {
        Hexadecimal.encode(SHA256.hash(Array(url.utf8)))
    }

    // MARK: The form in a file

    private static let version = 1

    /// Reads a record; `nil` if it is incomplete, or of another version.
    init?(_ bytes: [UInt8]) {
        guard let members = try? JSONDocument.parse(bytes).root.object,
            members["version"]?.integer == Int64(Self.version), let urlHash = members["url_sha256"]?.string,
            let validator = members["validator"]?.string,
            let synchronized = members["synchronized"]?.integer, synchronized >= 0
        else { return nil }
        self.validator = validator
        self.synchronized = synchronized
        self.urlHash = urlHash
        total = members["total"]?.integer
        boot = members["boot"]?.string
    }

    /// The form in a file: a JSON object.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version")
        writer.int(Self.version)
        writer.member("url_sha256")
        writer.string(urlHash)
        writer.member("validator")
        writer.string(validator)
        writer.member("total")
        if let total { writer.int(total) } else { writer.null() }
        writer.member("synchronized")
        writer.int(synchronized)
        writer.member("boot")
        if let boot { writer.string(boot) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONValue {
    /// The value as a whole number; `nil` for anything else.
    fileprivate var integer: Int64? {
        guard case .number(let number) = kind else { return nil }
        return Int64(number.lexeme)
    }
}
