public import HTTPTypes

/// Which header fields somebody who makes requests may set.
///
/// Refused are those that say how a message is framed or what one connection does: they are the transport's, and a
/// second opinion about them is how requests are smuggled (RFC 9112 §11.2).
public enum RequestHeaderRules {
    /// The most header fields of one task: more than servers take, and few enough to be compared with each other.
    public static let maxCount = 256

    /// Why a header field of this name is refused, or `nil` when it is not.
    public static func reasonToRefuse(_ name: HTTPField.Name) -> String? {
        switch name.canonicalName {
        case "host":
            "Host follows from the URL"
        case "content-length":
            "Content-Length follows from the content"
        case "transfer-encoding":
            "Transfer-Encoding is the transport's, which frames the content"
        case "connection":
            "Connection is about one connection, which the transport manages"
        case "keep-alive":
            "Keep-Alive is about one connection, which the transport manages"
        case "upgrade":
            "Upgrade would turn the connection into something else than HTTP"
        case "te":
            "TE is about one connection, and trailers are not read"
        case "trailer":
            "Trailer announces trailers, and none are sent"
        case "expect":
            "Expect is the transport's, which decides when the content is sent"
        case let other where other.hasPrefix("proxy-"):
            "Fields for a proxy belong into the session's configuration"
        default:
            nil
        }
    }

    /// Why a header field's value is refused, or `nil` when it is not.
    public static func reasonToRefuse(value: String) -> String? {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                return "A header value has no line breaks: what follows one would be a header of its own"
            case 0:
                return "A header value has no NUL"
            case UInt8(ascii: "\t"):
                continue
            case 0..<0x20, 0x7F:
                return "A header value has no control characters (RFC 9110 §5.5)"
            default:
                continue
            }
        }
        return nil
    }
}
