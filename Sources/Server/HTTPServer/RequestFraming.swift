/// The framing of the content of a request (RFC 9112 §6.3).
public enum RequestFraming: Sendable, Hashable {
    /// There is no content.
    case none
    /// `Content-Length`, in bytes, above zero.
    case length(UInt64)
    /// `Transfer-Encoding: chunked`.
    case chunked
}
