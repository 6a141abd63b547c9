import TaskStore
import Testing

extension TaskStoreSuite {
    static let sessions: [TaskStoreCheck] = [
        TaskStoreCheck("gives a session's tasks that are neither under way nor over, oldest first, in pages") { store in
            var expected: [TaskID] = []
            for copy in 0..<4 {
                for (number, state) in TaskState.allCases.enumerated() {
                    let record = TaskRecord.sample(copy * 20 + number, state: state)
                    try await store.insert(record)
                    if [.scheduled, .queued, .waiting, .suspended].contains(state) { expected.append(record.id) }
                    try await store.insert(.sample(1000 + copy * 20 + number, session: "other", state: state))
                }
                try await store.insert(.standingStill(copy * 20 + 10))
            }
            try #require(expected.count == 16)
            var found: [TaskID] = []
            while true {
                let page = try await store.pending(session: "github", after: found.last, limit: 3)
                #expect(page.count <= 3)
                if page.isEmpty { break }
                found += page
            }
            #expect(found == expected)
        },
        TaskStoreCheck("gives each pending task once while those given are taken away") { store in
            for number in 0..<20 {
                try await store.insert(.sample(number, state: [.queued, .waiting, .scheduled, .suspended][number % 4]))
            }
            var found: [TaskID] = []
            while true {
                let page = try await store.pending(session: "github", after: found.last, limit: 6)
                if page.isEmpty { break }
                found += page
                for id in page { #expect(try await store.delete(id)) }
            }
            #expect(found == (0..<20).map { .sample($0) })
        },
        TaskStoreCheck("remembers what was done to sessions, by name, and forgets it") { store in
            #expect(try await store.sessionMarks().isEmpty)
            let suspended = SessionMark(name: "stripe", isSuspended: true)
            let closed = SessionMark(name: "github", isClosed: true)
            for mark in [suspended, closed, SessionMark(name: "other")] { try await store.setSessionMark(mark) }
            #expect(try await store.sessionMarks() == [closed, suspended])
            let both = SessionMark(name: "github", isSuspended: true, isClosed: true)
            try await store.setSessionMark(both)
            #expect(try await store.sessionMarks() == [both, suspended])
            try await store.setSessionMark(SessionMark(name: "github"))
            #expect(try await store.sessionMarks() == [suspended])
            // Marks are no tasks.
            #expect(try await store.counts() == TaskCounts())
        },
    ]
}
