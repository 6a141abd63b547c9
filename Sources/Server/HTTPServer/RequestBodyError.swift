/// A reason for which the content of a request is incomplete.
public enum RequestBodyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The client closed the connection, or broke the framing of its message.
    case clientLeft
    /// The content is longer than the limit, in bytes.
    case tooLarge(limitBytes: Int)
    /// The content, or its next byte, did not arrive in time, or arrived too slowly.
    case tooSlow
    /// The server is shutting down.
    case serverStopping
    /// The task that reads was canceled, or the handler has responded before the end of the content.
    case canceled

    /// A description that is safe to show.
    public var description: String {
        switch self {
        case .clientLeft: "the client closed the connection before the content was complete"
        case .tooLarge(let limit): "the content is longer than \(limit) bytes"
        case .tooSlow: "the content did not arrive in time"
        case .serverStopping: "the server is shutting down"
        case .canceled: "reading the content was canceled"
        }
    }
}
