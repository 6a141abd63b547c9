public import Transfer

/// Content that a task brings itself, with the `Content-Type` that it has unless a header says otherwise.
public enum TaskBody: Sendable {
    /// Text in UTF-8: `text/plain; charset=utf-8`.
    case text(String)
    /// Bytes: `application/octet-stream`.
    case bytes([UInt8])
    /// Any JSON value, as text in UTF-8, sent byte for byte as given: `application/json`.
    case json([UInt8])
    /// A file that the session's ``UploadFiles`` opens: `application/octet-stream`.
    case file(String)
    /// Bytes that are asked for as the connection takes them: `application/octet-stream`.
    ///
    /// The source serves this task alone.
    case source(any BodySource)
    /// The parts of a form: `multipart/form-data`.
    case parts([TaskPart])
}

/// A part of a form (RFC 7578) as a task brings it.
public struct TaskPart: Sendable {
    /// The name of the field.
    public var name: String
    /// The name of the file; `nil` for a field that is none, and for the file's own name where the content is one.
    public var filename: String?
    /// The media type; `nil` for none, or what the extension of a file's name says.
    public var contentType: String?
    /// Further header fields of the part, in this order.
    public var headers: [TaskHeader]
    /// The content.
    public var content: Content

    /// The content of a part.
    public enum Content: Sendable {
        /// Text in UTF-8.
        case text(String)
        /// Bytes.
        case bytes([UInt8])
        /// A file that the session's ``UploadFiles`` opens.
        case file(String)
        /// Bytes that are asked for as the connection takes them, from a source that knows its length.
        case source(any BodySource)
    }

    /// Creates a part.
    public init(
        _ name: String, _ content: Content, filename: String? = nil, contentType: String? = nil,
        headers: [TaskHeader] = []
    ) {
        self.name = name
        self.content = content
        self.filename = filename
        self.contentType = contentType
        self.headers = headers
    }
}
