import Testing

@testable import ErrandTaskStoreSQLite

@Suite("SlowCommits")
struct SlowCommitsTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int64) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test("Fast transactions are not reported")
    func fast() {
        var commits = SlowCommits()
        for second in 0..<100 as Range<Int64> {
            let report = commits.note(.milliseconds(999), at: at(second))
            #expect(report == nil)
        }
    }

    @Test("The first slow transaction is reported at once, and the others after a minute, by their number")
    func slow() {
        var commits = SlowCommits()
        let first = commits.note(.seconds(1), at: at(0))
        #expect(first == SlowCommits.Report(count: 1, longest: .seconds(1)))
        for (second, duration) in [(10, 2), (20, 7), (30, 3), (59, 4)] as [(Int64, Int64)] {
            let report = commits.note(.seconds(duration), at: at(second))
            #expect(report == nil)
        }
        let several = commits.note(.milliseconds(1), at: at(60))
        #expect(several == SlowCommits.Report(count: 4, longest: .seconds(7)))
        let none = commits.note(.milliseconds(1), at: at(200))
        let later = commits.note(.seconds(2), at: at(201))
        #expect(none == nil)
        #expect(later == SlowCommits.Report(count: 1, longest: .seconds(2)))
    }
}
