public import HTTPGrammar
public import ResponseSerialization

/// How a session judges and reads responses.
public struct ResponseConfiguration: Sendable, Hashable {
    /// What reads the content, unless a task chooses another.
    ///
    /// Default: ``ResponseSerializerChoice/json``.
    public var serializer: ResponseSerializerChoice
    /// The statuses of success.
    ///
    /// Default: 200 to 299.
    public var acceptableStatuses: StatusSet
    /// The content types of success; `nil` for the serializer's own.
    public var acceptableContentTypes: [MediaRange]?
    /// How the serializers read.
    public var options: ResponseSerializationOptions
    /// What becomes of the content.
    public var disposition: Disposition

    /// Creates the defaults.
    public init() {
        serializer = .json
        acceptableStatuses = .success
        acceptableContentTypes = nil
        options = ResponseSerializationOptions()
        disposition = Disposition()
    }

    /// The largest content that a serializer reads as a whole, whatever the disposition takes: 64 MiB.
    ///
    /// Serializers that read nothing (`raw`) take any.
    public static let maxReadBytes: Int64 = 64 << 20

    /// What becomes of the content of a response.
    public struct Disposition: Sendable, Hashable {
        /// The most bytes of content, after decoding; a response with more fails.
        ///
        /// Default: 8 MiB.
        public var maxBodyBytes: Int64

        /// Creates a disposition.
        public init(maxBodyBytes: Int64 = 8 << 20) {
            self.maxBodyBytes = maxBodyBytes
        }
    }
}
