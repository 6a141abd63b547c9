public import ErrandTransfer

/// Turns the parameters of a task into the content of a request.
///
/// A value without state: one serializer serves any number of tasks, on any thread. A program gives its own serializer
/// to a session or a request among its hooks; it is called when the request is created.
public protocol RequestSerializer: Sendable {
    /// Returns the content for parameters.
    ///
    /// - Parameter parameters: One JSON value in UTF-8, not yet validated; `nil` if the task has none.
    /// - Throws: ``RequestSerializationError``. Its message is shown and logged; an error that may quote the parameters
    ///   belongs into ``RequestSerializationError/underlying``.
    func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent
}

extension RequestSerializerKind {
    /// Returns the serializer of this kind.
    ///
    /// | kind | parameters | without parameters |
    /// | --- | --- | --- |
    /// | ``form`` | an object | empty content with its content type |
    /// | ``json`` | an object or an array | no content |
    /// | ``plist`` | an object or an array without `null` | no content |
    /// | ``multipart`` | an object | like ``form``; also if the parameters make no part |
    /// | ``raw`` | refused | no content |
    public func serializer(_ options: RequestSerializationOptions = .init()) -> any RequestSerializer {
        switch self {
        case .form: .form(options.parameters)
        case .json: .json(options.json)
        case .plist: .propertyList
        case .multipart: .multipart(options.parameters, throttle: options.throttle)
        case .raw: .raw
        }
    }
}

/// The content made from parameters, with its content type.
public struct SerializedContent: Sendable {
    /// The content.
    public var body: TransferBody
    /// The `Content-Type` unless a header field overrides it; `nil` if there is no content.
    public var contentType: String?

    /// Creates content; none by default.
    public init(body: TransferBody = .none, contentType: String? = nil) {
        self.body = body
        self.contentType = contentType
    }
}

/// The request serializers, by their names in configurations and tasks.
public enum RequestSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// Encodes parameters as `application/x-www-form-urlencoded`.
    case form
    /// Sends parameters as JSON, byte for byte unless ``JSONWritingOptions`` say otherwise.
    case json
    /// Encodes parameters as an XML property list.
    case plist
    /// Encodes parameters as `multipart/form-data`, one part each.
    case multipart
    /// Sends only the body that the task provides.
    case raw
}
