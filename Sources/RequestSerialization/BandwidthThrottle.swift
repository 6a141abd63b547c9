/// A brake on the sending of a body: after each packet comes a pause.
///
/// On average that is `packetBytes / delay`: the default sends about 80 KiB a second.
public struct BandwidthThrottle: Sendable, Hashable {
    /// The most that is sent at once, in bytes; less than 1 counts as 1.
    ///
    /// Default: 16 KiB.
    public var packetBytes: Int
    /// The pause after each packet; less than nothing counts as nothing.
    ///
    /// Default: 200 ms.
    public var delay: Duration

    /// Creates a throttle.
    public init(packetBytes: Int = 16 * 1024, delay: Duration = .milliseconds(200)) {
        self.packetBytes = packetBytes
        self.delay = delay
    }
}
