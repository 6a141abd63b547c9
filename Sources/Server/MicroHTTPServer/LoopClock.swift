/// The clock of a server's loop, which stands still while the process does.
///
/// A client is not slow because the process was stopped or starved: what it has sent meanwhile is read in parts of one
/// buffer in each turn, and the socket takes no more of it until then. Therefore the time limits of connections exclude
/// such a standstill.
struct LoopClock {
    /// The time that the clock has stood still.
    private var stoodStill: Milliseconds = 0

    /// Returns the time of a turn.
    ///
    /// A turn that is later than twice the interval after the next check shows a standstill: its time is then that of
    /// the check.
    ///
    /// - Parameters:
    ///   - monotonic: The monotonic time.
    ///   - check: The time of this clock at which the next check of time limits is due; `.max` for none.
    ///   - interval: The time between two checks.
    mutating func time(
        at monotonic: Milliseconds, check: Milliseconds, interval: Milliseconds
    ) -> Milliseconds {
        let time = monotonic - stoodStill
        guard check < time - 2 * interval else { return time }
        stoodStill += time - check
        return check
    }
}
