extension TaskCounts {
    /// Returns the number of tasks that match, for each state that the query admits.
    ///
    /// - Returns: `nil` if the query has other filters than states, sessions and the kind, which these counts do not know.
    package func matching(_ query: TaskQuery) -> [TaskState: Int]? {
        guard query.isOfCountedMembers else { return nil }
        let sessions = query.sessions ?? Set(sessions)
        var byState: [TaskState: Int] = [:]
        for state in query.admittedStates {
            byState[state] = sessions.reduce(0) { sum, session in
                sum + (query.kind.map { self[session, state, $0] } ?? self[session, state])
            }
        }
        return byState
    }
}

extension TaskQuery {
    /// The states of tasks that can match, in the order of their declaration.
    package var admittedStates: [TaskState] {
        TaskState.allCases.filter { states.isEmpty || states.contains($0) }
    }

    /// True if no filter is set but states, sessions and the kind.
    fileprivate var isOfCountedMembers: Bool {
        var plain = TaskQuery()
        plain.states = states
        plain.sessions = sessions
        plain.kind = kind
        plain.order = order
        plain.pageSize = pageSize
        plain.inlineObjectBytes = inlineObjectBytes
        plain.showsLabels = showsLabels
        plain.showsDocuments = showsDocuments
        return self == plain
    }
}
