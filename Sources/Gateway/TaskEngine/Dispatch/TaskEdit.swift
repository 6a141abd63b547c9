import ErrandTaskStore
package import ErrandTime

/// A client's changes to an existing task (`PATCH`): parts that are `nil` stay as they are.
package struct TaskEdit: Sendable, Hashable {
    /// The priority, 0 to 9, higher first.
    package var priority: Int?
    /// The earliest start; `.some(nil)` for as soon as possible.
    package var notBefore: Timestamp??
    /// The time at which the task fails if it has not succeeded; `.some(nil)` for none.
    package var deadline: Timestamp??
    /// Labels by key; `nil` removes a label.
    package var labels: [String: String?]
    /// The transfer rate limit in bytes per second; `.some(nil)` for no limit.
    package var bytesPerSecond: Int64??

    /// Creates an edit that changes nothing.
    package init() {
        labels = [:]
    }
}

extension TaskEdit {
    /// An error of a task as an edit would make it.
    struct Fault: Sendable, Hashable {
        /// The name of the member of the edit.
        var member: String
        /// The explanation for people.
        var detail: String
    }

    /// Returns the task with the edited values; its life cycle is unchanged.
    func applied(to values: TaskRecord.Values) -> TaskRecord.Values {
        var next = values
        if let priority { next.priority = priority }
        if let notBefore {
            next.notBefore = notBefore
            next.isDelayed = false
        }
        if let deadline { next.deadline = deadline }
        if let bytesPerSecond { next.bytesPerSecond = bytesPerSecond }
        for (key, value) in labels { next.labels[key] = value }
        return next
    }

    /// Returns the errors that a task has with the edited values together with its others.
    ///
    /// Only values that the edit changes are checked. A start that has passed is before each deadline.
    ///
    /// - Parameter edited: The task with the edited values.
    func faults(of edited: TaskRecord.Values, at now: Timestamp) -> [Fault] {
        var faults: [Fault] = []
        if !labels.isEmpty, let detail = TaskLabels.fault(of: edited.labels) {
            faults.append(Fault(member: "labels", detail: detail))
        }
        let times = TaskTimes(notBefore: edited.notBefore, deadline: edited.deadline)
        if notBefore != nil || deadline != nil, let detail = times.fault(at: now) {
            faults.append(Fault(member: deadline == nil ? "not_before" : "deadline", detail: detail))
        }
        return faults
    }
}
