package import ErrandTime

/// The system's clock as the store knows it, which outlives the process.
///
/// Each task and each stored pause has the sum of jumps with which its times were worked out: by the difference to
/// ``offset`` they have to be moved.
package struct StoredClock: Sendable, Hashable {
    /// The sum of all jumps of the clock that are known, in whole milliseconds; negative if it was set back by more.
    package var offset: Duration
    /// True if the waits of all tasks agree with ``offset``.
    package var isSettled: Bool
    /// The last time that is known of this clock.
    package var at: Timestamp
    /// The number of the newest event when the clock was stored: later events have times of the same clock.
    ///
    /// Only the store maintains this property. The value in a written clock is ignored.
    package var newestEvent: Int64

    /// Creates a clock; by default that of a store that knows of no jump.
    package init(
        offset: Duration = .zero, isSettled: Bool = true, at moment: Timestamp = .earliest, newestEvent: Int64 = 0
    ) {
        self.offset = offset
        self.isSettled = isSettled
        at = moment
        self.newestEvent = newestEvent
    }
}
