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
    /// The digest of the content, sent with it.
    ///
    /// Default: ``ContentDigest/none``.
    public var contentDigest: ContentDigest
    /// The size in bytes from which on content is sent only when the server has agreed to receive it
    /// (`Expect: 100-continue`, RFC 9110 §10.1.1); `nil` to send all content at once.
    ///
    /// So a server can redirect, challenge or refuse a request before its content is sent, which matters for large
    /// content, and for content that can be read only once. After a second without a response the content is sent
    /// nevertheless, and a request that is refused because of the expectation (417) is sent again without it. Content in
    /// memory of less than 64 KiB, and content over HTTP/2, is sent at once; content of unknown length counts as large.
    /// Newer versions of libcurl than 7.88 wait only before content of more than 1 MiB, or of unknown length. Default:
    /// `nil`.
    public var expectContinueBytes: Int64?

    /// The digest of the content of a request, sent in the field `Content-Digest` (RFC 9530).
    public enum ContentDigest: String, Sendable, Hashable, CaseIterable {
        /// None.
        case none
        /// The SHA-256 digest of the content as it is sent, after compression.
        ///
        /// A file, and a form that contains files, is read once more for it (`BodySource.isRepeatable`): at the
        /// beginning of each attempt, before its adapters are called. The time counts towards the total timeout.
        /// Content that can be read only to send it, such as a stream, is sent without the field: it would have to
        /// follow as a trailer, which libcurl cannot send over HTTP/2. So is a request without content or with a field
        /// of its own. If a hook replaces content with a digest, the digest is replaced too.
        case sha256 = "sha-256"
    }

    /// Creates a configuration with defaults, optionally with another serializer.
    public init(serializer: RequestSerializerKind = .form) {
        self.serializer = serializer
        methodsWithParametersInURL = [.get, .head, .delete]
        options = RequestSerializationOptions()
        compression = RequestCompression()
        contentDigest = .none
        expectContinueBytes = nil
    }
}
