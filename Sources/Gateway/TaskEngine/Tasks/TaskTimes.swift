import ErrandJSON
import ErrandTaskStore
import ErrandTime

/// The times of a task: its earliest start and its deadline.
struct TaskTimes: Sendable, Hashable {
    /// The earliest start; a time in the past has no effect.
    var notBefore: Timestamp?
    /// The time at which the task fails if it has not succeeded.
    var deadline: Timestamp?
    /// True if `notBefore` was given as a delay.
    var isDelay: Bool

    /// The longest delay of a task: a year.
    static let longestDelay = Duration.seconds(365 * 86_400)

    /// Creates times.
    init(notBefore: Timestamp? = nil, deadline: Timestamp? = nil, isDelay: Bool = false) {
        self.notBefore = notBefore
        self.deadline = deadline
        self.isDelay = isDelay
    }

    /// Reads `not_before` or `delay`, and `deadline`, from a task, as far as its form allows them.
    static func read(_ task: inout JSONObjectReader, of form: TaskForm, at now: Timestamp) -> TaskTimes {
        let delay = task.duration("delay", in: .zero...longestDelay)
        var times = TaskTimes(notBefore: delay.map { now.adding($0) })
        times.isDelay = delay != nil
        guard form != .schedule else { return times }
        if task.says("delay"), task.says("not_before") {
            task.report("delay", "expected not_before or delay, not both")
        }
        if let time = notBefore(&task, at: now) { times.notBefore = time }
        times.deadline = deadline(&task, at: now)
        if let fault = times.fault { task.report("deadline", fault) }
        return times
    }

    /// Reads `not_before` from a document.
    static func notBefore(_ document: inout JSONObjectReader, at now: Timestamp) -> Timestamp? {
        guard let time = document.time("not_before") else { return nil }
        guard time <= now.adding(longestDelay) else {
            document.report("not_before", "expected a time within the next 365 days, found \(time)")
            return nil
        }
        return time
    }

    /// Reads `deadline` from a document.
    static func deadline(_ document: inout JSONObjectReader, at now: Timestamp) -> Timestamp? {
        guard let time = document.time("deadline") else { return nil }
        guard time > now else {
            document.report("deadline", "expected a time after now (\(now)), found \(time)")
            return nil
        }
        return time
    }

    /// The error of a deadline that is not after the earliest start; `nil` if there is none.
    var fault: String? {
        guard let notBefore, let deadline, deadline <= notBefore else { return nil }
        return "the deadline must be after the earliest start, \(notBefore)"
    }
}
