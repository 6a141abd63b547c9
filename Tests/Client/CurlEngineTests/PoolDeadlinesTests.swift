import ErrandTransfer
import Testing

@testable import ErrandCurlEngine

@Suite("PoolDeadlines")
struct PoolDeadlinesTests {
    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test("return pools in the order of their deadlines, each once")
    func order() {
        var deadlines = PoolDeadlines()
        let pools = (0..<3).map { PoolID(session: $0) }
        deadlines.set(at(3), for: pools[0])
        deadlines.set(at(1), for: pools[1])
        deadlines.set(at(2), for: pools[2])
        deadlines.set(at(4), for: pools[1])
        deadlines.set(nil, for: pools[2])
        deadlines.set(nil, for: pools[2])
        #expect(deadlines.earliest == at(3))
        #expect(deadlines.popDue(at: at(2)) == nil)
        #expect(deadlines.popDue(at: at(9)) == pools[0])
        #expect(deadlines.popDue(at: at(9)) == pools[1])
        #expect(deadlines.popDue(at: at(9)) == nil)
        #expect(deadlines.earliest == nil)
    }

    @Test("have keys for as many pools as have deadlines at the same time, however many sessions there were")
    func bounded() {
        var deadlines = PoolDeadlines()
        deadlines.set(at(1_000_000), for: PoolID(session: 0))
        for number in 1...10_000 {
            let pool = PoolID(session: number)
            deadlines.set(at(Int64(number)), for: pool)
            deadlines.set(at(Int64(number)), for: pool.ofProbes)
            if number.isMultiple(of: 2) {
                #expect(deadlines.popDue(at: at(Int64(number))) != nil)
                #expect(deadlines.popDue(at: at(Int64(number))) != nil)
            } else {
                deadlines.set(nil, for: pool)
                deadlines.set(nil, for: pool.ofProbes)
            }
        }
        #expect(deadlines.keyCount == 3)
        #expect(deadlines.popDue(at: at(1_000_000)) == PoolID(session: 0))
    }
}
