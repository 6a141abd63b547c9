import ErrandTime
import Testing

@testable import ErrandTaskStore

@Suite("TaskIDSequence")
struct TaskIDSequenceTests {
    @Test("Identifiers of one millisecond increase")
    func sameMillisecond() {
        var sequence = TaskIDSequence()
        var random = SystemRandomNumberGenerator()
        let now = Timestamp(milliseconds: 1_795_000_000_000)
        let ids = (0..<10_000).map { _ in sequence.next(at: now, using: &random) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ids.allSatisfy { $0.timestamp == now })
    }

    @Test("A clock that goes back does not make identifiers go back")
    func clockGoesBack() {
        var sequence = TaskIDSequence()
        var ones = Constant(bits: .max)
        let times: [Int64] = [1000, 1001, 500, 0, -7, 1001, 1002, 999]
        let ids = times.map { sequence.next(at: Timestamp(milliseconds: $0), using: &ones) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ids.map(\.timestamp.milliseconds) == [1000, 1001, 1001, 1001, 1001, 1001, 1002, 1002])
    }

    @Test("A full counter continues in the next millisecond")
    func overflow() {
        var sequence = TaskIDSequence()
        var ones = Constant(bits: .max)
        let now = Timestamp(milliseconds: 1000)
        let end: UInt64 = 1 << TaskIDSequence.counterBits
        var zeros = Constant(bits: 0)
        var last = sequence.next(at: now, using: &ones)
        #expect(sequence.counter == end / 2 - 1, "the highest start leaves half of the range")
        sequence.counter = end - 4
        for _ in 0..<3 {
            let next = sequence.next(at: now, using: &ones)
            #expect(next > last)
            last = next
        }
        #expect(sequence.counter == end - 1)
        #expect(last.timestamp == now)
        let next = sequence.next(at: now, using: &zeros)
        #expect(next > last)
        #expect(next.timestamp == Timestamp(milliseconds: 1001))
    }

    @Test("A time before 1970 counts as 1970")
    func before1970() {
        var sequence = TaskIDSequence()
        var zeros = Constant(bits: 0)
        #expect(sequence.next(at: .earliest, using: &zeros).timestamp == Timestamp(milliseconds: 0))
    }
}

/// A generator whose numbers are all the same.
private struct Constant: RandomNumberGenerator {
    let bits: UInt64

    mutating func next() -> UInt64 { bits }
}
