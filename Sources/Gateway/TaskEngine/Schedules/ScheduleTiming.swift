package import ErrandConfiguration
package import ErrandCron
import ErrandTaskStore
package import ErrandTime
package import ErrandTimeZones

/// The times at which a schedule creates tasks, and the handling of missed times.
///
/// Pure: the current time is a parameter.
package struct ScheduleTiming: Sendable, Hashable {
    package typealias Missed = ScheduleConfiguration.Missed

    /// The times.
    package var cron: CronExpression
    /// The time zone of the times.
    package var zone: NamedZone
    /// The handling of missed times.
    package var missed: Missed

    /// The longest delay of a task; a time that is older was missed.
    static let patience = Duration.seconds(60)
    /// The longest setback of the clock that repeats no time, so that no task is created twice.
    ///
    /// After a larger setback, the clock is taken to have been wrong before.
    static let longestSetback = Duration.seconds(3 * 3600)

    /// Returns true if both have the same times, however they handle those that are missed.
    func hasSameTimes(as other: ScheduleTiming) -> Bool {
        cron == other.cron && zone == other.zone
    }

    /// The action at a moment.
    enum Step: Sendable, Hashable {
        /// Wait for the next time.
        case wait
        /// Create a task for `time`; the next time is `next`.
        case run(time: Timestamp, next: Timestamp?)
        /// Skip missed times; the next time is `next` and may have come already.
        case skip(next: Timestamp?)
    }

    /// Returns the first time after a moment; `nil` if there is none.
    func next(after moment: Timestamp) -> Timestamp? {
        let whole = moment.milliseconds - ((moment.milliseconds % 1000) + 1000) % 1000
        return cron.next(after: whole / 1000, in: zone).map { Timestamp(milliseconds: $0 * 1000) }
    }

    /// Returns the first times after a moment, in order.
    package func times(_ count: Int, after moment: Timestamp) -> [Timestamp] {
        var times: [Timestamp] = []
        while times.count < count, let next = next(after: times.last ?? moment) { times.append(next) }
        return times
    }

    /// Returns the action for the next time of a schedule.
    ///
    /// - Parameter wasTried: True if a task for this time was made when it was not late, and could not be stored: the
    ///   time was not missed then, however late it is now. Default: false.
    func step(due: Timestamp, at now: Timestamp, wasTried: Bool = false) -> Step {
        guard due <= now else { return .wait }
        let isLate = now.duration(since: due) > Self.patience
        switch missed {
        case .skip where isLate && !wasTried: return .skip(next: next(after: now.adding(.zero - Self.patience)))
        case .runOnce where isLate: return .run(time: now, next: next(after: now))
        case .skip, .runOnce: return .run(time: due, next: next(after: due))
        }
    }

    /// Returns the next time of a schedule that was stored earlier.
    ///
    /// A time that is still to come is computed again, as the clock may have been set and the rules of the zone may
    /// have changed.
    ///
    /// - Parameters:
    ///   - stored: The next time that was computed then.
    ///   - last: The time of the last task.
    func resumed(_ stored: Timestamp?, last: Timestamp?, at now: Timestamp) -> Timestamp? {
        if let stored, stored <= now { return stored }
        guard let last, last > now, last.duration(since: now) <= Self.longestSetback else { return next(after: now) }
        return next(after: last)
    }
}
