public import HTTPTypes

/// How a session makes requests out of parameters.
public struct RequestConfiguration: Sendable, Hashable {
    /// What turns parameters into content, unless a task chooses another.
    ///
    /// Default: ``RequestSerializerKind/json``.
    public var serializer: RequestSerializerKind
    /// The methods whose parameters go into the query of the URL instead of into the content.
    ///
    /// Default: GET, HEAD, DELETE.
    public var methodsWithParametersInURL: [HTTPRequest.Method]

    /// Creates the defaults, or with another serializer.
    public init(
        serializer: RequestSerializerKind = .json,
        methodsWithParametersInURL: [HTTPRequest.Method] = [.get, .head, .delete]
    ) {
        self.serializer = serializer
        self.methodsWithParametersInURL = methodsWithParametersInURL
    }
}
