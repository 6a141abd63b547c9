import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let sessions: [TaskStoreCheck] = [
        TaskStoreCheck("returns the pending tasks of a session, oldest first, in pages") { store in
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
        TaskStoreCheck("returns each pending task once while returned ones are removed") { store in
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
        TaskStoreCheck("stores and removes the control states of sessions, by name") { store in
            #expect(try await store.sessionControlStates().isEmpty)
            let suspended = SessionControlState(name: "stripe", isSuspended: true)
            let closed = SessionControlState(name: "github", isClosed: true)
            for controlState in [suspended, closed, SessionControlState(name: "other")] {
                try await store.setSessionControlState(controlState)
            }
            #expect(try await store.sessionControlStates() == [closed, suspended])
            let both = SessionControlState(name: "github", isSuspended: true, isClosed: true)
            try await store.setSessionControlState(both)
            #expect(try await store.sessionControlStates() == [both, suspended])
            try await store.setSessionControlState(SessionControlState(name: "github"))
            #expect(try await store.sessionControlStates() == [suspended])
            // Control states are not counted as tasks.
            #expect(try await store.counts() == TaskCounts())
        },
        TaskStoreCheck("stores and removes the holds of sessions, by name") { store in
            #expect(try await store.upstreamHolds().isEmpty)
            var quiet = UpstreamHold(
                session: "stripe", origin: "https://api.stripe.example", quietUntil: Timestamp(milliseconds: 60_000))
            let open = UpstreamHold(session: "any", origin: "", circuitOpenUntil: Timestamp(milliseconds: 5000))
            for hold in [quiet, open, UpstreamHold(session: "other", origin: "http://a")] {
                try await store.setUpstreamHold(hold)
            }
            #expect(try await store.upstreamHolds() == [open, quiet])
            quiet.circuitOpenUntil = .latest
            quiet.clockOffset = .milliseconds(-28_800_001)
            try await store.setUpstreamHold(quiet)
            #expect(try await store.upstreamHolds() == [open, quiet])
            try await store.setUpstreamHold(UpstreamHold(session: "any", origin: ""))
            #expect(try await store.upstreamHolds() == [quiet])
        },
        TaskStoreCheck("stores the clock with the number of the newest event, in place of the former one") { store in
            #expect(try await store.clock() == StoredClock())
            let clocks = [
                StoredClock(offset: .milliseconds(-28_800_001), isSettled: false, at: .latest),
                StoredClock(offset: .milliseconds(Int64.max), at: Timestamp(milliseconds: 5), newestEvent: 1000),
            ]
            for (number, clock) in clocks.enumerated() {
                try await store.insert(.sample(number))
                try await store.setClock(clock)
                var expected = clock
                expected.newestEvent = try await store.eventBounds().newest
                #expect(expected.newestEvent > 0)
                #expect(try await store.clock() == expected)
            }
        },
    ]
}
