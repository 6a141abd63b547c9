public import ErrandTransfer

/// The content of a task's request, with the `Content-Type` that applies unless a header field sets another.
public enum TaskBody: Sendable {
    /// Text in UTF-8: `text/plain; charset=utf-8`.
    case text(String)
    /// Bytes: `application/octet-stream`.
    case bytes([UInt8])
    /// Any JSON value, as text in UTF-8, sent byte for byte as given: `application/json`.
    case json([UInt8])
    /// A file that the session's ``UploadFiles`` opens: `application/octet-stream`.
    case file(String)
    /// Bytes that are read from a source as the connection accepts them: `application/octet-stream`.
    ///
    /// The source serves only this task.
    case source(any BodySource)
    /// The parts of a form: `multipart/form-data`.
    case parts([TaskPart])
}

/// A part of a task's form (RFC 7578).
public struct TaskPart: Sendable {
    /// The name of the field; `nil` for a part that is described by its header fields only.
    ///
    /// Such a part has no filename, and has the `Content-Disposition` of its ``headers`` or none.
    public var name: String?
    /// The name of the file; `nil` for a field without one, or for the name of the file that is the content.
    public var filename: String?
    /// The media type; `nil` for none, or for the type of the file's extension.
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
        /// Bytes that are read as the connection accepts them, from a source of known length.
        case source(any BodySource)
    }

    /// Creates a part, which is validated when its request is created.
    ///
    /// ```swift
    /// let field = TaskPart("title", .text("Report"))
    /// let free = TaskPart(nil, .bytes(content), headers: [TaskHeader("Content-Disposition", "attachment")])
    /// ```
    public init(
        _ name: String?, _ content: Content, filename: String? = nil, contentType: String? = nil,
        headers: [TaskHeader] = []
    ) {
        self.name = name
        self.content = content
        self.filename = filename
        self.contentType = contentType
        self.headers = headers
    }
}
