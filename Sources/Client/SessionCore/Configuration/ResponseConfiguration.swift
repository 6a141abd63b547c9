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
        public var maxBodyBytes: Int64 {
            didSet { hasOwnLimit = true }
        }
        /// The maximum number of content bytes that the response of a thrown error shows (``SessionError/response``).
        ///
        /// Default: 1 MiB.
        public var maxErrorBytes: Int64

        /// The handling of the content of a response whose status or content type is not acceptable.
        ///
        /// Default: ``Unacceptable/keep``.
        public var unacceptable = Unacceptable.keep

        /// True if ``maxBodyBytes`` is not the default.
        package private(set) var hasOwnLimit: Bool
        /// The handling of acceptable content above ``maxBodyBytes``, by a sink that is not in memory.
        ///
        /// Default: it fails.
        package var overLimit = OverLimit.fail
        /// The types of acceptable content that no serializer reads, and that may have any size in a sink that is not in
        /// memory.
        ///
        /// Default: none.
        package var becomeDownloadTypes: [MediaRange] = []

        /// The handling of content above a limit.
        package enum OverLimit: String, Sendable, Hashable, CaseIterable {
            /// The response fails.
            case fail
            /// The content is stored, and no serializer reads it.
            case becomeDownload = "become_download"
        }

        /// The handling of the content of a response whose status or content type is not acceptable.
        public enum Unacceptable: String, Sendable, Hashable, CaseIterable {
            /// The content is received, and explains the error.
            case keep
            /// The transfer ends when the head has come, and the error has the head only.
            ///
            /// A connection over HTTP/1.1 is closed and not reused. Received nevertheless are redirects that could be
            /// followed, challenges (401) that the session's credentials could answer, and responses without content. If
            /// the head does not state a length, only the first byte shows that there is content of a wrong type.
            case cancel
        }

        /// Creates a disposition.
        ///
        /// - Parameters:
        ///   - maxBodyBytes: See ``maxBodyBytes-swift.property``. Default: `nil`, 8 MiB.
        ///   - maxErrorBytes: See ``maxErrorBytes-swift.property``. Default: 1 MiB.
        public init(maxBodyBytes: Int64? = nil, maxErrorBytes: Int64 = Self.defaultMaxErrorBytes) {
            self.maxBodyBytes = maxBodyBytes ?? Self.defaultMaxBodyBytes
            self.maxErrorBytes = maxErrorBytes
            hasOwnLimit = maxBodyBytes != nil
        }

        /// The default of ``maxBodyBytes-swift.property``: 8 MiB.
        public static let defaultMaxBodyBytes: Int64 = 8 << 20

        /// The own limit; `nil` for the default.
        package var ownMaxBodyBytes: Int64? {
            get { hasOwnLimit ? maxBodyBytes : nil }
            set {
                maxBodyBytes = newValue ?? Self.defaultMaxBodyBytes
                hasOwnLimit = newValue != nil
            }
        }

        /// Returns true if acceptable content becomes a download: it is stored, and no serializer reads it.
        func becomesDownload(size: Int64, contentType: MediaType?) -> Bool {
            if overLimit == .becomeDownload, size > maxBodyBytes { return true }
            return hasDownloadType(contentType)
        }

        /// Returns true if content of this type is not read by a serializer.
        package func hasDownloadType(_ contentType: MediaType?) -> Bool {
            guard !becomeDownloadTypes.isEmpty else { return false }
            return becomeDownloadTypes.contains { range in
                range.isAny || contentType.map { range.contains($0) } ?? false
            }
        }

        /// The default of ``maxErrorBytes``: 1 MiB.
        public static let defaultMaxErrorBytes: Int64 = 1 << 20
    }
}
