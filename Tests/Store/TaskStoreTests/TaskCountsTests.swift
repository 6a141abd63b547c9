import ErrandTaskStore
import Testing

@Suite("TaskCounts")
struct TaskCountsTests {
    @Test("Counts add up by session and by state, and zero counts are removed")
    func adds() {
        var counts = TaskCounts()
        counts.add(3, session: "b", state: .queued)
        counts.add(2, session: "a", state: .queued)
        counts.add(1, session: "a", state: .failed)
        #expect(counts["a", .queued] == 2)
        #expect(counts[.queued] == 5)
        #expect(counts.total == 6)
        #expect(counts.sessions == ["a", "b"])
        #expect(counts["c", .queued] == 0)
        counts.add(-3, session: "b", state: .queued)
        #expect(counts.sessions == ["a"])
        counts.add(-2, session: "a", state: .queued)
        counts.add(-1, session: "a", state: .failed)
        #expect(counts == TaskCounts())
    }

    @Test("Callbacks are pending until they end")
    func callbacks() {
        var counts = TaskCounts()
        for state in TaskState.allCases { counts.add(1, session: "a", state: state, kind: .callback) }
        for kind in TaskKind.allCases where kind != .callback {
            counts.add(1, session: "a", state: .queued, kind: kind)
        }
        #expect(counts.pendingCallbacks("a") == TaskState.allCases.count { !$0.isTerminal })
        #expect(counts.pendingCallbacks("b") == 0)
        #expect(counts["a", .queued] == TaskKind.allCases.count)
        for state in TaskState.allCases { counts.add(-1, session: "a", state: state, kind: .callback) }
        for kind in TaskKind.allCases where kind != .callback {
            counts.add(-1, session: "a", state: .queued, kind: kind)
        }
        #expect(counts == TaskCounts())
    }
}
