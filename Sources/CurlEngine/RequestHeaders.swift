import HTTPTypes
import Transfer

/// The header fields of a request as libcurl wants them: `Name: value`, `Name;` for an empty value, and `Name:` for a
/// field that libcurl would add and shall not.
struct RequestHeaders {
    private let fields: HTTPFields
    private let hasContent: Bool

    /// Fields that frame the message: libcurl writes them itself, from what it sends.
    private static let framing: Set<HTTPField.Name> = [.contentLength, .transferEncoding, .expect]

    init(_ request: TransferRequest) {
        fields = request.headers
        hasContent =
            switch request.body {
            case .none: request.method == .post || request.method == .put || request.method == .patch
            case .bytes, .source: true
            }
    }

    /// Whether both make the same list, to the letter.
    ///
    /// Fields are equal to Swift also in another order or spelling.
    func isSame(as other: RequestHeaders) -> Bool {
        guard hasContent == other.hasContent, fields.count == other.fields.count else { return false }
        return zip(fields, other.fields).allSatisfy { $0.name.rawName == $1.name.rawName && $0 == $1 }
    }

    /// Makes the list.
    func list() throws(CurlFailure) -> CurlList {
        var list = CurlList()
        var line: [UInt8] = []
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
        // One field, however many the request has (RFC 6265 §5.4).
        if let cookies = fields[.cookie] {
            try list.append("Cookie: \(cookies)")
        }
        for name in unwanted where !fields.contains(name) {
            try list.append("\(name.rawName):")
        }
        return list
    }

    /// What libcurl would add by itself.
    private var unwanted: [HTTPField.Name] {
        hasContent ? [.accept, .contentType, .expect] : [.accept]
    }
}
