import ErrandJSON
package import ErrandTaskStore

extension BulkWork.Call {
    /// The selection of a bulk request in a few words, for the audit log.
    ///
    /// It has the names of all filters and the values of some, but not those of labels.
    package struct Summary: Sendable, Hashable {
        /// The identifiers; `nil` for a request with filters.
        package var ids: [TaskID]?
        /// The names of the filters, in ascending order.
        package var filters: [String] = []
        /// The first sessions of the filter, in ascending order and shortened, and the number of the others.
        package var sessions: [String] = []
        /// The states of the filter, in ascending order.
        package var states: [String] = []
        /// The schedule of the filter, shortened.
        package var schedule: String?
        /// The most tasks that the request selects.
        package var limit: Int?
    }

    /// The most sessions that a summary names.
    private static let maxSessions = 8
    /// The most bytes of a name in a summary.
    private static let maxNameBytes = 100

    /// The summary of the request.
    package var summary: Summary {
        var summary = Summary(limit: limit)
        switch filter {
        case .ids(let ids):
            summary.ids = ids
        case .matching(let query):
            summary.filters = query.filterNames
            summary.sessions = Self.shortened((query.sessions ?? []).sorted())
            summary.states = query.states.map(\.rawValue).sorted()
            summary.schedule = query.schedule?.shortened(toBytes: Self.maxNameBytes)
        }
        return summary
    }

    private static func shortened(_ names: [String]) -> [String] {
        let others = names.count - maxSessions
        return names.prefix(maxSessions).map { $0.shortened(toBytes: maxNameBytes) }
            + (others > 0 ? ["\(others) more"] : [])
    }
}

extension TaskQuery {
    /// The names of those filters of a bulk request that select tasks, in ascending order.
    fileprivate var filterNames: [String] {
        let filters: [String: Bool] = [
            "error": errorCode != nil, "hold": hold != nil, "kind": kind != nil, "labels": !labels.isEmpty,
            "method": method != nil, "parent": parent != nil, "retried": isRetried != nil,
            "schedule": schedule != nil, "session": sessions != nil, "state": !states.isEmpty,
            "status": statuses != nil,
        ]
        let times = TimeFilter.allCases.filter { self[$0] != nil }.map(\.rawValue)
        return (filters.filter { $0.value }.map(\.key) + times).sorted()
    }
}
