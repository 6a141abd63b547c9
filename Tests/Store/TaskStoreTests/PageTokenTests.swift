import ErrandTime
import Testing

@testable import ErrandTaskStore

@Suite("PageToken")
struct PageTokenTests {
    private let last = TaskID(timestamp: Timestamp(milliseconds: 1_795_000_000_000), a: 5, b: 77)

    private var query: TaskQuery {
        var query = TaskQuery()
        query.states = [.queued, .running]
        query.sessions = ["github"]
        query.labels = ["team": "billing"]
        query.createdAfter = Timestamp(milliseconds: 5)
        return query
    }

    @Test("A token leads to its position with the same filters and any page size")
    func roundTrip() throws {
        let text = PageToken(last: last, query: query).description
        #expect(text.utf8.count == 34)
        let token = try #require(PageToken(text))
        var same = query
        same.pageSize = 7
        same.after = last
        #expect(token.position(in: same) == last)
    }

    @Test("A token of a list by end also has the time of the end")
    func ends() throws {
        for order in [TaskOrder.firstFinished, .lastFinished] {
            var sorted = query
            sorted.order = order
            for end in [last.timestamp, .earliest, .latest] {
                let text = PageToken(last: last, finishedAt: end, query: sorted).description
                #expect(text.utf8.count == 44)
                let token = try #require(PageToken(text))
                #expect(token.position(in: sorted) == last)
                #expect(token.finishedAt == end)
            }
        }
        #expect(PageToken(last: last, finishedAt: last.timestamp, query: query) == PageToken(last: last, query: query))
    }

    @Test("A token is not accepted in another order")
    func otherOrder() {
        for order in TaskOrder.allCases {
            for other in TaskOrder.allCases {
                var (first, second) = (query, query)
                first.order = order
                second.order = other
                let token = PageToken(last: last, finishedAt: last.timestamp, query: first)
                #expect((token.position(in: second) == last) == (order == other))
            }
        }
    }

    @Test("A token is the same in every process")
    func stable() {
        #expect(PageToken(last: last, query: query).description == "AU6deAvuaMsUAaHuVl4AcAWAAAAAAAAATQ")
    }

    @Test("A token is not accepted with other filters")
    func otherFilters() {
        let token = PageToken(last: last, query: query)
        var others = [TaskQuery](repeating: query, count: 18)
        others[0].states = [.queued]
        others[1].sessions = nil
        others[2].sessions = ["github", "gitlab"]
        others[3].kind = .data
        others[4].labels = ["team": "billing", "env": "prod"]
        others[5].labels = ["teambilling": ""]
        others[6].createdAfter = nil
        others[7].createdBefore = others[7].createdAfter
        others[7].createdAfter = nil
        others[8].parent = last
        others[9].finishedAfter = Timestamp(milliseconds: 5)
        others[10].finishedBefore = Timestamp(milliseconds: 5)
        others[11].schedule = "nightly"
        others[12].isRetried = false
        others[13].errorCode = "timed_out"
        others[14].statuses = 500...599
        others[15].method = "GET"
        others[16].hold = .ordering
        others[17].range = last...last
        #expect(others.allSatisfy { token.position(in: $0) == nil })
    }

    @Test("A token stands for the text of a relative time, which another request reads as another time")
    func relativeTimes() {
        for filter in TaskQuery.TimeFilter.allCases {
            var first = query
            first[filter] = Timestamp(milliseconds: 1000)
            first.relativeTimes[filter] = "-24h"
            let token = PageToken(last: last, query: first)
            var next = first
            next[filter] = Timestamp(milliseconds: 2000)
            #expect(token.position(in: next) == last)
            #expect(next.withoutRelativeMoments == first.withoutRelativeMoments)
            next.relativeTimes[filter] = "-25h"
            #expect(token.position(in: next) == nil)
            #expect(next.withoutRelativeMoments != first.withoutRelativeMoments)
        }
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "x", String(repeating: "A", count: 34), "AU6deAvuaMsUAaHuVl4AcAWAAAAAAAAATR",
            "Ak6deAvuaMsUAaHuVl4AcAWAAAAAAAAATQ", "AU6deAvuaMsUAaHuVl4AcAWAAAAAAAAATQAAAAAAAAAA",
            "Ak6deAvuaMsUAaHuVl4AcAWAAAAAAAAATX__________", "AU6deAvuaMsUAaHuVl4AcAWAAAAAAAAATQ=",
            "AU6deAvuaMsUAaHuVl4AcAWAAAAAAAAA+Q", "AU6deAvuaMsUAaHuVl4AQAWAAAAAAAAATQ",
        ])
    func refused(text: String) {
        #expect(PageToken(text) == nil)
    }
}
