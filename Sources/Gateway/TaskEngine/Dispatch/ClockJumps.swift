import ErrandTime

/// The jumps of the system's clock that matter to times measured before and after them.
struct ClockJumps: Sendable {
    /// The newest jumps, in their order, at most ``maxJumps``.
    private var jumps: [Jump] = []

    /// A jump of the clock.
    private struct Jump {
        /// The time that the clock would show without the jump.
        let from: Timestamp
        /// The time that it shows instead.
        let to: Timestamp
        /// When the jump was noticed; `nil` if it took place before the process began, when no retention time was running.
        let noticedAt: ContinuousClock.Instant?

        /// Returns true if a moment was read from the clock before this jump.
        ///
        /// A moment after `to` may have been read before the clock was set back, or since: a moment that is still to
        /// come was read before.
        func isAfter(_ moment: Timestamp, now: Timestamp) -> Bool {
            moment <= min(from, to) || moment <= from && moment > now
        }
    }

    /// The number of jumps that are kept: older ones matter only to what has been measured ever since.
    private static let maxJumps = 100

    /// Records a jump of the clock.
    ///
    /// - Parameters:
    ///   - now: The time that the clock shows now.
    ///   - moment: The same moment by the monotonic clock.
    mutating func note(_ jump: Duration, to now: Timestamp, at moment: ContinuousClock.Instant) {
        keep(Jump(from: now.adding(.zero - jump), to: now, noticedAt: moment))
    }

    /// Records that the clock was set back before the process began.
    mutating func noteSetback(from former: Timestamp, to now: Timestamp) {
        keep(Jump(from: former, to: now, noticedAt: nil))
    }

    private mutating func keep(_ jump: Jump) {
        if jumps.count == Self.maxJumps { jumps.removeFirst() }
        jumps.append(jump)
    }

    /// Returns the sum of the jumps forward in the last `period`, less the jumps back since; never negative.
    ///
    /// - Parameter period: The longest retention time of anything that may have been stored before a jump.
    func lead(in period: Duration, before moment: ContinuousClock.Instant) -> Duration {
        jumps.reduce(.zero) { lead, jump in
            guard let noticedAt = jump.noticedAt, noticedAt.duration(to: moment) < period else { return lead }
            return max(lead + jump.to.duration(since: jump.from), .zero)
        }
    }

    /// Returns the time between two readings of the clock, without the jumps in between; never negative.
    func elapsed(from start: Timestamp, to now: Timestamp) -> Duration {
        let moment = jumps.reduce(start) { moment, jump in
            jump.isAfter(moment, now: now) ? moment.adding(jump.to.duration(since: jump.from)) : moment
        }
        return max(now.duration(since: moment), .zero)
    }
}
