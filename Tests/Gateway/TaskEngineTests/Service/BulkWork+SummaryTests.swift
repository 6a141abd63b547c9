import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("BulkWork: the summary of a request")
struct BulkWorkSummaryTests {
    @Test("It has the names of all filters, and of some the values, but none of labels")
    func filters() {
        var query = TaskQuery()
        query.states = [.succeeded, .failed]
        query.sessions = ["up", "b"]
        query.kind = .data
        query.parent = .sample(1)
        query.labels = ["team": "secret"]
        query.schedule = "nightly"
        query.isRetried = false
        query.errorCode = "timed_out"
        query.statuses = 500...599
        query.method = "GET"
        query.hold = .content
        for time in TaskQuery.TimeFilter.allCases { query[time] = .earliest }
        let summary = BulkWork.Call(.delete, on: .matching(query), limit: 3).summary
        #expect(
            summary.filters == [
                "created_after", "created_before", "error", "finished_after", "finished_before", "hold", "kind",
                "labels", "method", "parent", "retried", "schedule", "session", "state", "status",
            ])
        #expect(summary.sessions == ["b", "up"])
        #expect(summary.states == ["failed", "succeeded"])
        #expect(summary.schedule == "nightly")
        #expect(summary.limit == 3)
        #expect(summary.ids == nil)
        #expect(!"\(summary)".contains("secret"))
    }

    @Test("It is short, however many sessions the filter has, and however long their names are")
    func short() {
        var query = TaskQuery()
        query.sessions = Set((10..<30).map { "\($0)" + String(repeating: "x", count: 200) })
        query.schedule = String(repeating: "y", count: 200)
        let summary = BulkWork.Call(.delete, on: .matching(query)).summary
        #expect(summary.sessions.count == 9)
        #expect(summary.sessions.first?.hasPrefix("10x") == true)
        #expect(summary.sessions.last == "12 more")
        #expect(summary.sessions.allSatisfy { $0.utf8.count <= 103 })
        #expect(summary.schedule?.utf8.count == 103)
        #expect(summary.filters == ["schedule", "session"])
    }

    @Test("Without filters it has the identifiers")
    func identifiers() {
        let summary = BulkWork.Call(.delete, on: .ids([.sample(2), .sample(1)])).summary
        #expect(summary.ids == [.sample(2), .sample(1)])
        #expect(summary.filters.isEmpty)
    }
}
