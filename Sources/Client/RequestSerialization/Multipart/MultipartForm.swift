package import ErrandTransfer

/// A form as request content: `multipart/form-data` (RFC 7578).
///
/// Its exact length is known before anything is sent; the content of files is read while it is sent.
package struct MultipartForm: Sendable {
    /// The parts, in the order in which they are sent.
    package let parts: [MultipartPart]
    /// The boundary between the parts.
    package let boundary: MultipartBoundary
    /// The total number of bytes.
    package let length: Int64

    /// Creates a form.
    ///
    /// - Parameters:
    ///   - parts: The parts, at least one (RFC 2046 §5.1).
    ///   - boundary: The boundary between the parts; random by default.
    /// - Throws: ``RequestSerializationError`` if there are no parts or their total length overflows.
    package init(
        parts: [MultipartPart], boundary: MultipartBoundary = MultipartBoundary()
    ) throws(RequestSerializationError) {
        guard !parts.isEmpty else { throw RequestSerializationError(message: "A multipart form has no parts") }
        self.parts = parts
        self.boundary = boundary
        guard let length = ChainedSource(Self.segments(parts, boundary)).length else {
            throw RequestSerializationError(message: "The multipart form is too long")
        }
        self.length = length
    }

    /// The media type with the boundary, for `Content-Type`.
    package var contentType: String { boundary.contentType }

    /// Returns the form as content for one request at a time: the sources of the parts belong to it.
    ///
    /// - Parameters:
    ///   - throttle: The limit on the sending rate; `nil` for none.
    ///   - clock: Measures the delays of the throttle.
    /// - Returns: Bytes if everything is in memory and there is no throttle, otherwise a source.
    package func content(
        throttle: BandwidthThrottle? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) -> SerializedContent {
        let body: TransferBody =
            if throttle == nil, let bytes { .bytes(bytes) } else { .source(source(throttle: throttle, clock: clock)) }
        return SerializedContent(body: body, contentType: contentType)
    }

    /// Returns the form as a source for one request at a time: the sources of the parts belong to it.
    package func source(
        throttle: BandwidthThrottle? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) -> any BodySource {
        let source = ChainedSource(Self.segments(parts, boundary))
        return throttle.map { ThrottledSource(source, $0, clock: clock) } ?? source
    }

    /// Returns the number of bytes of a field in a form with a random boundary, without its content: the delimiter and
    /// the head.
    static func byteCount(ofFieldNamed name: some Sequence<UInt8>) -> Int {
        delimiterBytes + MultipartPart.headBytes(ofFieldNamed: name)
    }

    private static let delimiterBytes = "\r\n--\(MultipartBoundary())\r\n".utf8.count

    /// All bytes of the form if they are in memory, otherwise `nil`.
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
