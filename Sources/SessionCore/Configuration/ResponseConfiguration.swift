/// How a session judges and reads responses.
public struct ResponseConfiguration: Sendable, Hashable {
    /// What reads the content, unless a task chooses another.
    ///
    /// Default: ``ResponseSerializerKind/json``.
    public var serializer: ResponseSerializerKind
    /// The statuses of success.
    ///
    /// Default: 200 to 299.
    public var acceptableStatuses: StatusSet
    /// The content types of success; `nil` for the serializer's own: the JSON types for `json`, any for `raw`.
    public var acceptableContentTypes: [MediaRange]?
    /// How JSON is read.
    public var json: JSONOptions
    /// What becomes of the content.
    public var disposition: Disposition

    /// Creates the defaults.
    public init() {
        serializer = .json
        acceptableStatuses = .success
        acceptableContentTypes = nil
        json = JSONOptions()
        disposition = Disposition()
    }

    /// How the JSON of a response is read.
    public struct JSONOptions: Sendable, Hashable {
        /// Whether the outermost value may be a string, a number, a boolean or null.
        ///
        /// Default: no, an object or array.
        public var allowsFragments: Bool
        /// How deep arrays and objects may nest.
        ///
        /// Default: 512.
        public var maxDepth: Int

        /// Creates options.
        public init(allowsFragments: Bool = false, maxDepth: Int = 512) {
            self.allowsFragments = allowsFragments
            self.maxDepth = maxDepth
        }
    }

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
