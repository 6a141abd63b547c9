/// The progress of a request in both directions, over all its attempts.
///
/// ```swift
/// let options = RequestOptions(progress: { print($0.download.completed, $0.download.timeLeft ?? .zero) })
/// let report = try await api.get("reports/7", options: options)
/// ```
public struct ProgressReport: Sendable, Hashable {
    /// The content of the request.
    public var upload: DirectionProgress
    /// The content of the response.
    public var download: DirectionProgress

    /// Creates a report; by default nothing is transferred.
    public init(
        upload: DirectionProgress = DirectionProgress(), download: DirectionProgress = DirectionProgress()
    ) {
        self.upload = upload
        self.download = download
    }

    /// Returns true if another report has the same numbers of bytes.
    func hasSameBytes(as other: ProgressReport) -> Bool {
        upload.hasSameBytes(as: other.upload) && download.hasSameBytes(as: other.download)
    }
}

/// The progress of one direction of a request.
///
/// Bytes are those of content, without heads and framing.
public struct DirectionProgress: Sendable, Hashable {
    /// The number of bytes on the wire: content as it is transferred, before it is decoded.
    ///
    /// Never decreases while the content is the same: an attempt that begins again is not counted until it has more
    /// bytes than those before. A resumed download begins with the bytes that it has. If an attempt states another
    /// ``total``, the content has changed and is counted from its first byte. The last report of a success has the
    /// bytes of its response, also if an earlier attempt has received more.
    public var completed: Int64
    /// The number of bytes on the wire at the end; `nil` if unknown.
    ///
    /// Equal to ``completed`` in the last report of a success.
    public var total: Int64?
    /// The number of bytes after decoding, as the program receives them; never decreases, as ``completed``.
    ///
    /// Content of requests is encoded before it is sent, so that this is equal to ``completed``.
    public var decoded: Int64
    /// The rate on the wire in bytes per second, smoothed over about two seconds; `nil` until it was measured for a
    /// tenth of a second.
    public var bytesPerSecond: Int64?
    /// The time until the end at this rate; `nil` if the ``total`` or the rate is unknown, or if the rate is zero.
    public var timeLeft: Duration?

    /// Creates progress; zero bytes and everything else unknown by default.
    public init(
        completed: Int64 = 0, total: Int64? = nil, decoded: Int64 = 0, bytesPerSecond: Int64? = nil,
        timeLeft: Duration? = nil
    ) {
        self.completed = completed
        self.total = total
        self.decoded = decoded
        self.bytesPerSecond = bytesPerSecond
        self.timeLeft = timeLeft
    }

    /// The completed part, from 0 to 1; 1 for no content, `nil` if the ``total`` is unknown.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(Double(completed) / Double(total), 1) : 1
    }

    /// Returns true if other progress has the same numbers of bytes.
    fileprivate func hasSameBytes(as other: DirectionProgress) -> Bool {
        completed == other.completed && total == other.total && decoded == other.decoded
    }
}
