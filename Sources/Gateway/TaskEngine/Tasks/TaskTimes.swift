import ErrandJSON
import ErrandTaskStore
import ErrandTime

/// The times of a task: its earliest start and its deadline.
struct TaskTimes: Sendable, Hashable {
    /// The earliest start, or `nil` if it is given as ``delay``; a time in the past has no effect.
    var notBefore: Timestamp?
    /// The time from the creation of the task to its earliest start.
    ///
    /// It is a duration until the task is created: its content may take long to arrive, and the clock may be set.
    var delay: Duration?
    /// The time at which the task fails if it has not succeeded.
    var deadline: Timestamp?

    /// The longest delay of a task: a year.
    static let longestDelay = Duration.seconds(365 * 86_400)

    /// Creates times.
    init(notBefore: Timestamp? = nil, delay: Duration? = nil, deadline: Timestamp? = nil) {
        self.notBefore = notBefore
        self.delay = delay
        self.deadline = deadline
    }

    /// Returns the earliest start of a task that is created now; `nil` if there is none.
    func start(at now: Timestamp) -> Timestamp? {
        delay.map { now.adding($0) } ?? notBefore
    }

    /// Reads `not_before` or `delay`, and `deadline`, from a task, as far as its form allows them.
    static func read(_ task: inout JSONObjectReader, of form: TaskForm, at now: Timestamp) -> TaskTimes {
        var times = TaskTimes(delay: task.duration("delay", in: .zero...longestDelay))
        guard form != .schedule else { return times }
        if task.says("delay"), task.says("not_before") {
            task.report("delay", "expected not_before or delay, not both")
        }
        if let time = notBefore(&task, at: now) { times.notBefore = time }
        times.deadline = deadline(&task, at: now)
        if let fault = times.fault(at: now) { task.report("deadline", fault) }
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

    /// Returns the error of a deadline that is not after the earliest start; `nil` if there is none.
    func fault(at now: Timestamp) -> String? {
        guard let start = start(at: now), let deadline, deadline <= start else { return nil }
        return "the deadline must be after the earliest start, \(start)"
    }
}
