import HTTPTypes
import Transfer

/// How a request's method and content are told to libcurl.
enum MessageShape: Equatable {
    /// The most bytes of content that are sent along with the head, in one piece.
    static let maxInlineBytes = 65_535

    /// No content: the method is what is asked (`CURLOPT_HTTPGET`).
    case bare(method: String)
    /// Only the head is wanted (`CURLOPT_NOBODY`).
    case head
    /// A few bytes that libcurl copies (`CURLOPT_COPYPOSTFIELDS`).
    case inline(method: String, length: Int)
    /// Content that is read as the connection takes it (`CURLOPT_UPLOAD`); chunked when its length is not known.
    case streamed(method: String, length: Int64?)

    init(_ request: TransferRequest, source: (any BodySource)?) {
        let method = request.method.rawValue
        if let source {
            self = .streamed(method: method, length: source.length)
        } else if case .bytes(let bytes) = request.body {
            self = .inline(method: method, length: bytes.count)
        } else {
            switch request.method {
            case .head: self = .head
            // Methods that mean content say that there is none (RFC 9110 §8.6).
            case .post, .put, .patch: self = .inline(method: method, length: 0)
            default: self = .bare(method: method)
            }
        }
    }

    /// Whether the handle holds something of this one message.
    var hasContent: Bool {
        switch self {
        case .bare, .head: false
        case .inline, .streamed: true
        }
    }

    /// The source that a body's content is read from, or `nil` when there is none or it goes along with the head.
    static func source(of body: TransferBody) -> (any BodySource)? {
        switch body {
        case .none: nil
        case .bytes(let bytes): bytes.count > maxInlineBytes ? BytesSource(bytes) : nil
        case .source(let source): source
        }
    }
}

extension TransferBody {
    /// The bytes, of a body that has them in memory.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }
}
