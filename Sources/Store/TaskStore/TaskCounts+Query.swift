extension TaskCounts {
    /// Returns the number of tasks that match, for each state that the query admits.
    ///
    /// - Returns: `nil` if the query has other filters than states and sessions, which these counts do not know.
    package func matching(_ query: TaskQuery) -> [TaskState: Int]? {
        guard query.isOfSessionsAndStates else { return nil }
        let sessions = query.sessions ?? Set(sessions)
        var byState: [TaskState: Int] = [:]
        for state in query.admittedStates {
            byState[state] = sessions.reduce(0) { $0 + self[$1, state] }
        }
        return byState
    }
}

extension TaskQuery {
    /// The states of tasks that can match, in the order of their declaration.
    package var admittedStates: [TaskState] {
        TaskState.allCases.filter { states.isEmpty || states.contains($0) }
    }

    /// True if no filter is set but states and sessions.
    fileprivate var isOfSessionsAndStates: Bool {
        var plain = TaskQuery()
        plain.states = states
        plain.sessions = sessions
        plain.order = order
        plain.pageSize = pageSize
        plain.inlineObjectBytes = inlineObjectBytes
        plain.showsLabels = showsLabels
        plain.showsDocuments = showsDocuments
        return self == plain
    }
}
