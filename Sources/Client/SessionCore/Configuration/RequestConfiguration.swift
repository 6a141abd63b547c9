public import ErrandRequestSerialization
public import HTTPTypes

/// The settings by which a session creates requests from parameters.
public struct RequestConfiguration: Sendable, Hashable {
    /// The serializer of parameters, unless a task selects another.
    ///
    /// Default: ``RequestSerializerKind/form``.
    public var serializer: RequestSerializerKind
    /// The methods whose parameters are sent in the query of the URL instead of in the content.
    ///
    /// Default: GET, HEAD, DELETE.
    public var methodsWithParametersInURL: [HTTPRequest.Method]
    /// The options of the serializers.
    public var options: RequestSerializationOptions
    /// The compression of content.
    ///
    /// Default: none.
    public var compression: RequestCompression

    /// Creates a configuration with defaults, optionally with another serializer.
    public init(serializer: RequestSerializerKind = .form) {
        self.serializer = serializer
        methodsWithParametersInURL = [.get, .head, .delete]
        options = RequestSerializationOptions()
        compression = RequestCompression()
    }
}
