public import HTTPTypes

/// The rules for header fields that clients may set.
///
/// Fields that determine the framing of a message or the state of a connection are rejected: the transport sets them,
/// and contradictory values would permit request smuggling (RFC 9112 §11.2).
public enum RequestHeaderRules {
    /// The maximum number of header fields of one task: above the limits of servers, and low enough to compare each
    /// with each.
    public static let maxCount = 256

    /// Returns the reason to reject a header field of this name, or `nil` if it is allowed.
    public static func reasonToRefuse(_ name: HTTPField.Name) -> String? {
        switch name.canonicalName {
        case "host":
            "Host is set from the URL"
        case "content-length":
            "Content-Length is set from the content"
        case "transfer-encoding":
            "Transfer-Encoding is set by the transport"
        case "connection":
            "Connection is managed by the transport"
        case "keep-alive":
            "Keep-Alive is managed by the transport"
        case "upgrade":
            "Upgrade to another protocol is not supported"
        case "te":
            "TE is not supported, because trailers are not read"
        case "trailer":
            "Trailer is not supported, because no trailers are sent"
        case "expect":
            "Expect is set by the transport"
        case let other where other.hasPrefix("proxy-"):
            "Proxy fields can be set only in the session's configuration"
        default:
            nil
        }
    }

    /// Returns the reason to reject a header field for its name or its value, or `nil` if it is allowed.
    static func reasonToRefuse(field: HTTPField) -> String? {
        reasonToRefuse(field.name) ?? reasonToRefuse(value: field.value)
    }

    /// Returns the reason to reject a header field's value, or `nil` if it is allowed.
    public static func reasonToRefuse(value: String) -> String? {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                return "A header value must not contain line breaks"
            case 0:
                return "A header value must not contain NUL"
            case UInt8(ascii: "\t"):
                continue
            case 0..<0x20, 0x7F:
                return "A header value must not contain control characters (RFC 9110 §5.5)"
            default:
                continue
            }
        }
        return nil
    }
}

extension HTTPField.Name {
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    ///
    /// The names here are valid tokens, so the alternative is never used.
    package static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .from
    /// `Content-Digest` (RFC 9530 §2).
    package static let contentDigest = HTTPField.Name("Content-Digest") ?? .from
    /// `traceparent` (W3C Trace Context), in lower case as the recommendation asks for (§3.1), unlike
    /// `HTTPField.Name.traceparent`.
    package static let traceParent = HTTPField.Name("traceparent") ?? .from
    /// `tracestate` (W3C Trace Context), in lower case.
    package static let traceState = HTTPField.Name("tracestate") ?? .from
}
