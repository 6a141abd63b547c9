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
}
