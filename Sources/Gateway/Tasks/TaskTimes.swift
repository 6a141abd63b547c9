import JSON
import TaskStore

/// The times of a task: before which it is not started, and by which it has to have succeeded.
struct TaskTimes: Sendable, Hashable {
    /// Not to be started before; one that has passed is as good as none.
    var notBefore: Timestamp?
    /// When it fails if it has not succeeded by then.
    var deadline: Timestamp?

    /// How far ahead a task can be scheduled: a year.
    static let longestDelay = Duration.seconds(365 * 86_400)

    /// Creates times.
    init(notBefore: Timestamp? = nil, deadline: Timestamp? = nil) {
        self.notBefore = notBefore
        self.deadline = deadline
    }

    /// Takes `not_before` or `delay`, and `deadline`, out of a task, as far as its form has them.
    static func read(_ task: inout JSONObjectReader, of form: TaskForm, at now: Timestamp) -> TaskTimes {
        let delay = task.duration("delay", in: .zero...longestDelay)
        var times = TaskTimes(notBefore: delay.map { now.adding($0) })
        guard form != .schedule else { return times }
        if task.says("delay"), task.says("not_before") {
            task.report("delay", "a task has not_before or delay, not both")
        }
        if let time = notBefore(&task, at: now) { times.notBefore = time }
        times.deadline = deadline(&task, at: now)
        if let fault = times.fault { task.report("deadline", fault) }
        return times
    }

    /// Takes `not_before` out of a document.
    static func notBefore(_ document: inout JSONObjectReader, at now: Timestamp) -> Timestamp? {
        guard let time = document.time("not_before") else { return nil }
        guard time <= now.adding(longestDelay) else {
            document.report("not_before", "expected a time within the next 365 days, found \(time)")
            return nil
        }
        return time
    }

    /// Takes `deadline` out of a document.
    static func deadline(_ document: inout JSONObjectReader, at now: Timestamp) -> Timestamp? {
        guard let time = document.time("deadline") else { return nil }
        guard time > now else {
            document.report("deadline", "expected a time to come, found \(time), and it is \(now)")
            return nil
        }
        return time
    }

    /// What is wrong with the deadline beside the other time; `nil` when nothing is.
    var fault: String? {
        guard let notBefore, let deadline, deadline <= notBefore else { return nil }
        return "the deadline is not after the time before which the task is not started, \(notBefore)"
    }
}
