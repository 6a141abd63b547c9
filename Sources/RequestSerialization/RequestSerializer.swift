/// Turns the parameters of a task into the content of a request.
///
/// A value without state: one serializer serves any number of tasks, on any thread.
public protocol RequestSerializer: Sendable {
    /// Makes the content.
    ///
    /// - Parameter parameters: One JSON value as text in UTF-8, not yet judged; `nil` when a task has none.
    func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent
}

extension RequestSerializerKind {
    /// The serializer of that name.
    ///
    /// | kind | parameters | without parameters |
    /// | --- | --- | --- |
    /// | ``form`` | an object | empty content that has its type nevertheless |
    /// | ``json`` | an object or an array | no content |
    /// | ``plist`` | an object or an array, `null` nowhere in it | no content |
    /// | ``multipart`` | an object | as ``form``, also when the parameters make no part |
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
