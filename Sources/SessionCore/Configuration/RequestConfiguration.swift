public import HTTPTypes
public import RequestSerialization

/// How a session makes requests out of parameters.
public struct RequestConfiguration: Sendable, Hashable {
    /// What turns parameters into content, unless a task chooses another.
    ///
    /// Default: ``RequestSerializerKind/form``.
    public var serializer: RequestSerializerKind
    /// The methods whose parameters go into the query of the URL instead of into the content.
    ///
    /// Default: GET, HEAD, DELETE.
    public var methodsWithParametersInURL: [HTTPRequest.Method]
    /// How the serializers write.
    public var options: RequestSerializationOptions
    /// Whether content is compressed.
    ///
    /// Default: it is not.
    public var compression: RequestCompression

    /// Creates the defaults, or with another serializer.
    public init(serializer: RequestSerializerKind = .form) {
        self.serializer = serializer
        methodsWithParametersInURL = [.get, .head, .delete]
        options = RequestSerializationOptions()
        compression = RequestCompression()
    }
}
