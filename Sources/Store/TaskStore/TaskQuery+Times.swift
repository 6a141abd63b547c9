package import ErrandTime

extension TaskQuery {
    /// The filters with a time, by their names in the API.
    package enum TimeFilter: String, Sendable, Hashable, CaseIterable {
        case createdAfter = "created_after"
        case createdBefore = "created_before"
        case finishedAfter = "finished_after"
        case finishedBefore = "finished_before"
    }

    /// The time of a filter; `nil` for any.
    package subscript(time: TimeFilter) -> Timestamp? {
        get {
            switch time {
            case .createdAfter: createdAfter
            case .createdBefore: createdBefore
            case .finishedAfter: finishedAfter
            case .finishedBefore: finishedBefore
            }
        }
        set {
            switch time {
            case .createdAfter: createdAfter = newValue
            case .createdBefore: createdBefore = newValue
            case .finishedAfter: finishedAfter = newValue
            case .finishedBefore: finishedBefore = newValue
            }
        }
    }

    /// The query with only the texts of its relative times: equal for requests with equal filters, at any time.
    package var withoutRelativeMoments: TaskQuery {
        var query = self
        for time in relativeTimes.keys { query[time] = nil }
        return query
    }

    /// The text that stands for a time in a fingerprint; `nil` without the filter.
    func text(of time: TimeFilter) -> String? {
        relativeTimes[time] ?? self[time]?.description
    }
}
