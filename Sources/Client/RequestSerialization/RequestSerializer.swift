/// Turns the parameters of a task into the content of a request.
///
/// A value without state: one serializer serves any number of tasks, on any thread.
public protocol RequestSerializer: Sendable {
    /// Returns the content for parameters.
    ///
    /// - Parameter parameters: One JSON value in UTF-8, not yet validated; `nil` if the task has none.
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
