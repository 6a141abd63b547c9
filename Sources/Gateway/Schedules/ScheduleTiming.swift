import Configuration
import Cron
import TaskStore
import TimeZones

/// When a schedule makes its tasks, and what becomes of times at which it could not.
///
/// A pure rule: what time it is, is a parameter.
struct ScheduleTiming: Sendable, Hashable {
    typealias Missed = ScheduleConfiguration.Missed

    /// When.
    var cron: CronExpression
    /// By whose clock.
    var zone: NamedZone
    /// What becomes of times that were missed.
    var missed: Missed

    /// How late a task may be made; what is later was missed.
    static let patience = Duration.seconds(60)
    /// How far a clock may be set back and still count as one that goes on, so that nothing is done twice.
    ///
    /// By more, it was wrong before.
    static let longestSetback = Duration.seconds(3 * 3600)

    /// What is to be done at a moment.
    enum Step: Sendable, Hashable {
        /// Nothing yet.
        case wait
        /// A task is made, which counts for `time`; the next one at `next`.
        case run(time: Timestamp, next: Timestamp?)
        /// Times were missed and are left out; the next one, which may have come, is `next`.
        case skip(next: Timestamp?)
    }

    /// The first time after a moment; `nil` when there is none.
    func next(after moment: Timestamp) -> Timestamp? {
        let whole = moment.milliseconds - ((moment.milliseconds % 1000) + 1000) % 1000
        return cron.next(after: whole / 1000, in: zone).map { Timestamp(milliseconds: $0 * 1000) }
    }

    /// The first times after a moment, in their order.
    func times(_ count: Int, after moment: Timestamp) -> [Timestamp] {
        var times: [Timestamp] = []
        while times.count < count, let next = next(after: times.last ?? moment) { times.append(next) }
        return times
    }

    /// What is to be done now about the next time of a schedule.
    func step(due: Timestamp, at now: Timestamp) -> Step {
        guard due <= now else { return .wait }
        guard now.duration(since: due) > Self.patience else { return .run(time: due, next: next(after: due)) }
        switch missed {
        case .skip: return .skip(next: next(after: now.adding(.zero - Self.patience)))
        case .runOnce: return .run(time: now, next: next(after: now))
        }
    }

    /// The next time of a schedule that was stored some while ago: one that is still to come is found again, as the clock
    /// may have been set and the rules of the zone may have changed.
    ///
    /// - Parameters:
    ///   - stored: The next time, as it was found then.
    ///   - last: The time of the last task.
    func resumed(_ stored: Timestamp?, last: Timestamp?, at now: Timestamp) -> Timestamp? {
        if let stored, stored <= now { return stored }
        guard let last, last > now, last.duration(since: now) <= Self.longestSetback else { return next(after: now) }
        return next(after: last)
    }
}
