import ErrandTransfer
import HTTPTypes

/// The form in which a request's method and content are passed to libcurl.
enum MessageShape {
    /// A method without content (`CURLOPT_HTTPGET`).
    case bare(method: String)
    /// A request for the head only (`CURLOPT_NOBODY`).
    case head
    /// Content small enough for libcurl to copy (`CURLOPT_COPYPOSTFIELDS`).
    case inline(method: String, length: Int)
    /// Content that is read while it is sent (`CURLOPT_UPLOAD`); chunked if its length is unknown.
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
            // Methods that anticipate content announce a length of 0 (RFC 9110 §8.6).
            case .post, .put, .patch: self = .inline(method: method, length: 0)
            default: self = .bare(method: method)
            }
        }
    }

    /// Returns the source of a body's content; `nil` if there is none or it is sent along with the head.
    static func source(of body: TransferBody) -> (any BodySource)? {
        switch body {
        case .none: nil
        case .bytes(let bytes): bytes.count > TransferBody.maxInlineBytes ? MemorySource(bytes) : nil
        case .source(let source): source
        }
    }
}

extension TransferBody {
    /// The bytes of a body that is in memory.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }
}
