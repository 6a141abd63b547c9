public import ErrandHTTPGrammar
public import ErrandResponseSerialization

/// The settings by which a session evaluates and reads responses.
public struct ResponseConfiguration: Sendable, Hashable {
    /// The serializer of responses, unless a task selects another.
    ///
    /// Default: ``ResponseSerializerChoice/json``.
    public var serializer: ResponseSerializerChoice
    /// The status codes of success.
    ///
    /// Default: 200 to 299.
    public var acceptableStatuses: StatusSet
    /// The acceptable content types; `nil` for those of the serializer.
    public var acceptableContentTypes: [MediaRange]?
    /// The options of the serializers.
    public var options: ResponseSerializationOptions
    /// The handling of the content.
    public var disposition: Disposition

    /// Creates a configuration with defaults.
    public init() {
        serializer = .json
        acceptableStatuses = .success
        acceptableContentTypes = nil
        options = ResponseSerializationOptions()
        disposition = Disposition()
    }

    /// The maximum size of content that a serializer reads, whatever the disposition allows: 64 MiB.
    ///
    /// Serializers that do not read the content (`raw`) accept any size.
    public static let maxReadBytes: Int64 = 64 << 20

    /// The handling of the content of a response.
    public struct Disposition: Sendable, Hashable {
        /// The maximum number of content bytes, after decoding; a larger response fails.
        ///
        /// Default: 8 MiB.
        public var maxBodyBytes: Int64
        /// The maximum number of content bytes that the response of a thrown error shows (``SessionError/response``).
        ///
        /// Default: 1 MiB.
        public var maxErrorBytes: Int64

        /// Creates a disposition.
        public init(maxBodyBytes: Int64 = 8 << 20, maxErrorBytes: Int64 = Self.defaultMaxErrorBytes) {
            self.maxBodyBytes = maxBodyBytes
            self.maxErrorBytes = maxErrorBytes
        }

        /// The default of ``maxErrorBytes``: 1 MiB.
        public static let defaultMaxErrorBytes: Int64 = 1 << 20
    }
}
