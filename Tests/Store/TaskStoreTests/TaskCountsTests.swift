import ErrandTaskStore
import ErrandTime
import Testing

@Suite("TaskCounts")
struct TaskCountsTests {
    @Test("Counts add up by session, state and kind, and zero counts are removed")
    func adds() {
        var counts = TaskCounts()
        counts.add(3, session: "b", state: .queued, kind: .data)
        counts.add(2, session: "a", state: .queued, kind: .data)
        counts.add(1, session: "a", state: .failed, kind: .data)
        counts.add(1, session: "a", state: .queued, kind: .upload)
        #expect(counts["a", .queued, .data] == 2)
        #expect(counts["a", .queued, .upload] == 1)
        counts.add(-1, session: "a", state: .queued, kind: .upload)
        #expect(counts["a", .queued, .upload] == 0)
        #expect(counts["a", .queued] == 2)
        #expect(counts[.queued] == 5)
        #expect(counts.total == 6)
        #expect(counts.sessions == ["a", "b"])
        #expect(counts["c", .queued] == 0)
        counts.add(-3, session: "b", state: .queued, kind: .data)
        #expect(counts.sessions == ["a"])
        counts.add(-2, session: "a", state: .queued, kind: .data)
        counts.add(-1, session: "a", state: .failed, kind: .data)
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

    @Test("Counts answer queries by state, session and kind only")
    func matching() {
        var counts = TaskCounts()
        counts.add(3, session: "b", state: .queued, kind: .data)
        counts.add(2, session: "a", state: .queued, kind: .data)
        counts.add(1, session: "a", state: .failed, kind: .data)
        var query = TaskQuery()
        query.pageSize = 7
        query.inlineObjectBytes = 0
        #expect(counts.matching(query)?.count == TaskState.allCases.count)
        #expect(counts.matching(query)?.filter { $0.value > 0 } == [.queued: 5, .failed: 1])
        query.states = [.queued, .running]
        #expect(counts.matching(query) == [.queued: 5, .running: 0])
        query.sessions = ["a", "c"]
        #expect(counts.matching(query) == [.queued: 2, .running: 0])
        query.sessions = []
        #expect(counts.matching(query) == [.queued: 0, .running: 0])
        query.sessions = nil
        query.kind = .upload
        #expect(counts.matching(query) == [.queued: 0, .running: 0])
        query.kind = .data
        #expect(counts.matching(query) == [.queued: 5, .running: 0])
        var others = [TaskQuery](repeating: query, count: 6)
        others[0].isRetried = true
        others[1].parent = .first(at: .earliest)
        others[2].labels = ["a": "b"]
        others[3].createdAfter = .earliest
        others[4].after = .first(at: .earliest)
        others[5].method = "GET"
        #expect(others.allSatisfy { counts.matching($0) == nil })
    }
}
