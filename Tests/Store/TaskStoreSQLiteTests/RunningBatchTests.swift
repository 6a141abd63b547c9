import Testing

@testable import ErrandTaskStoreSQLite

@Suite("RunningBatch")
struct RunningBatchTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int64) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test("Operations have an age from the moment at which they are taken until they have ended")
    func age() {
        var batch = RunningBatch()
        #expect(batch.age(at: at(0)) == nil)
        batch.begin(at: at(0))
        #expect(batch.age(at: at(3)) == .seconds(3))
        batch.begin(at: at(3))
        #expect(batch.age(at: at(4)) == .seconds(1))
        batch.end()
        #expect(batch.age(at: at(5)) == nil)
    }

    @Test("Operations that take five seconds are reported once, and the next ones again")
    func report() {
        var batch = RunningBatch()
        let none = batch.report(at: at(0))
        #expect(none == nil)
        batch.begin(at: at(0))
        for (second, expected) in [(4, nil), (5, .seconds(5)), (60, nil)] as [(Int64, Duration?)] {
            let age = batch.report(at: at(second))
            #expect(age == expected)
        }
        batch.begin(at: at(60))
        let early = batch.report(at: at(64))
        let later = batch.report(at: at(67))
        #expect(early == nil)
        #expect(later == .seconds(7))
        batch.end()
        let ended = batch.report(at: at(100))
        #expect(ended == nil)
    }
}
