/// A limit on the rate at which a body is sent: each packet is followed by a pause.
///
/// The average rate is `packetBytes / delay`; the default is about 80 KiB a second.
public struct BandwidthThrottle: Sendable, Hashable {
    /// The most bytes that are sent at once; values below 1 count as 1.
    ///
    /// Default: 16 KiB.
    public var packetBytes: Int
    /// The pause after each packet; negative values count as zero.
    ///
    /// Default: 200 ms.
    public var delay: Duration

    /// Creates a throttle.
    public init(packetBytes: Int = 16 * 1024, delay: Duration = .milliseconds(200)) {
        self.packetBytes = packetBytes
        self.delay = delay
    }
}
