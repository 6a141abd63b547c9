public import Transfer

/// A form as content of a request: `multipart/form-data` (RFC 7578).
///
/// Its length is known exactly before anything is sent, and the content of files is read while it is sent.
public struct MultipartForm: Sendable {
    /// The parts, in the order of sending.
    public let parts: [MultipartPart]
    /// What stands between the parts.
    public let boundary: MultipartBoundary
    /// The number of bytes in all.
    public let length: Int64

    /// Creates a form.
    ///
    /// - Parameters:
    ///   - parts: The parts, at least one (RFC 2046 §5.1).
    ///   - boundary: What stands between the parts; a random one by default.
    /// - Throws: When there is no part, or the parts are longer than a number can say.
    public init(
        parts: [MultipartPart], boundary: MultipartBoundary = MultipartBoundary()
    ) throws(RequestSerializationError) {
        guard !parts.isEmpty else { throw RequestSerializationError(message: "A multipart form has at least one part") }
        self.parts = parts
        self.boundary = boundary
        guard let length = ChainedSource(Self.segments(parts, boundary)).length else {
            throw RequestSerializationError(message: "The multipart form is too long")
        }
        self.length = length
    }

    /// The media type with the boundary, for `Content-Type`.
    public var contentType: String { boundary.contentType }

    /// The form as content, for one request at a time: the sources of the parts belong to it.
    ///
    /// - Parameters:
    ///   - throttle: How fast it is sent; `nil` for no limit.
    ///   - clock: Measures the delays of the throttle.
    /// - Returns: Bytes when everything is in memory and no throttle is wanted, otherwise a source.
    public func content(
        throttle: BandwidthThrottle? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) -> SerializedContent {
        let body: TransferBody =
            if throttle == nil, let bytes { .bytes(bytes) } else { .source(source(throttle: throttle, clock: clock)) }
        return SerializedContent(body: body, contentType: contentType)
    }

    /// The form as a source, for one request at a time: the sources of the parts belong to it.
    public func source(
        throttle: BandwidthThrottle? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) -> any BodySource {
        let source = ChainedSource(Self.segments(parts, boundary))
        return throttle.map { ThrottledSource(source, $0, clock: clock) } ?? source
    }

    /// Everything, when all of it is in memory.
    private var bytes: [UInt8]? {
        var pieces: [[UInt8]] = []
        for segment in Self.segments(parts, boundary) {
            guard case .bytes(let piece) = segment else { return nil }
            pieces.append(piece)
        }
        return Array(pieces.joined())
    }

    private static func segments(
        _ parts: [MultipartPart], _ boundary: MultipartBoundary
    ) -> [ChainedSource.Segment] {
        var segments: [ChainedSource.Segment] = []
        var delimiter = "--\(boundary)\r\n"
        for part in parts {
            segments.append(.bytes(Array((delimiter + part.head).utf8)))
            switch part.content {
            case .bytes(let bytes): segments.append(.bytes(bytes))
            case .source(let source): segments.append(.source(source))
            }
            delimiter = "\r\n--\(boundary)\r\n"
        }
        segments.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        return segments
    }
}
