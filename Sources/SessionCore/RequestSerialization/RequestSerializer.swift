/// Turns the parameters of a task into the content of a request.
protocol RequestSerializer: Sendable {
    /// - Parameter parameters: One JSON value, as text in UTF-8, not yet judged.
    func serialize(_ parameters: [UInt8]) throws(RequestSerializationError) -> SerializedContent
}

/// Content with its type.
struct SerializedContent: Sendable, Hashable {
    var bytes: [UInt8]
    /// The `Content-Type` that it has unless a header field says otherwise.
    var contentType: String
}

/// Why parameters cannot be turned into content.
struct RequestSerializationError: Error, Hashable {
    /// For people: one sentence without a full stop.
    var message: String
}

extension RequestSerializerKind {
    /// The serializer of that name.
    var serializer: any RequestSerializer {
        switch self {
        case .json: .json
        case .raw: .raw
        }
    }
}
