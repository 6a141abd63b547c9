import CErrandCurl
import ErrandTransfer
import HTTPTypes

/// The header fields of a request in libcurl's syntax: `Name: value`, `Name;` for an empty value, and `Name:` to
/// suppress a field that libcurl would add.
struct RequestHeaders {
    private let fields: HTTPFields
    private let hasContent: Bool
    private let acceptsAnything: Bool
    /// True if libcurl adds `Expect: 100-continue` to content that is read while it is sent.
    private let expectsContinue: Bool
    /// The content codings that are offered; `nil` if none are or the request sets its own.
    private let codings: String?

    /// The fields that frame the message; libcurl generates them from the content it sends.
    private static let framing: Set<HTTPField.Name> = [.contentLength, .transferEncoding, .expect]

    /// The content codings that can be decoded.
    ///
    /// Both expand content by a factor of about 1,000 at most; with brotli or zstd, a single read may expand to
    /// gigabytes.
    private static let decodedCodings = "gzip, deflate"

    init(_ request: TransferRequest) {
        fields = request.headers
        acceptsAnything = request.acceptsAnything
        expectsContinue = request.expectsContinue
        codings =
            request.acceptsCompression && !request.headers.contains(.acceptEncoding) ? Self.decodedCodings : nil
        hasContent =
            switch request.body {
            case .none: request.method == .post || request.method == .put || request.method == .patch
            case .bytes, .source: true
            }
    }

    /// Returns whether both produce exactly the same list.
    ///
    /// `HTTPFields` compares equal even if the order or the spelling of names differs.
    func isSame(as other: RequestHeaders) -> Bool {
        guard hasContent == other.hasContent, acceptsAnything == other.acceptsAnything,
            expectsContinue == other.expectsContinue, codings == other.codings, fields.count == other.fields.count
        else { return false }
        return zip(fields, other.fields).allSatisfy { $0.name.rawName == $1.name.rawName && $0 == $1 }
    }

    /// Creates the list.
    func list() throws(CurlFailure) -> CurlList {
        var list = CurlList()
        var line: [UInt8] = []
        if let codings { try list.append("Accept-Encoding: \(codings)") }
        for field in fields where field.name != .cookie && !Self.framing.contains(field.name) {
            line.removeAll(keepingCapacity: true)
            line.append(contentsOf: field.name.rawName.utf8)
            field.withUnsafeBytesOfValue { value in
                line.append(contentsOf: (value.isEmpty ? ";" : ": ").utf8)
                line.append(contentsOf: value)
            }
            line.append(0)
            try list.append(terminated: line)
        }
        // Sent as a single field, however many the request has (RFC 6265 §5.4).
        if let cookies = fields[.cookie] {
            try list.append("Cookie: \(cookies)")
        }
        for name in unwanted where !fields.contains(name) {
            try list.append("\(name.rawName):")
        }
        return list
    }

    /// The fields that libcurl would add by default.
    private var unwanted: [HTTPField.Name] {
        (acceptsAnything ? [] : [.accept])
            + (hasContent ? [.contentType] + (expectsContinue ? [] : [.expect]) : [])
    }
}

/// The header fields of a request in libcurl's form; immutable, so that handles may share it.
final class HeaderList {
    /// The fields it was created from.
    let headers: RequestHeaders
    private let list: CurlList

    init(_ headers: RequestHeaders) throws(CurlFailure) {
        self.headers = headers
        list = try headers.list()
    }

    /// The first element, or `nil` for an empty list.
    var head: UnsafeMutablePointer<curl_slist>? { list.head }
}
