import Testing

@testable import ErrandTaskStoreSQLite

@Suite("ReadLine")
struct ReadLineTests {
    private var line = ReadLine()

    private static func job(_ number: Int, isBegun: Bool = false) -> ReadLine.Job {
        ReadLine.Job(number: number, isBegun: isBegun, deadline: nil, run: { _, _ in }, fail: { _ in })
    }

    private mutating func rest() -> [Int] {
        var numbers: [Int] = []
        while let job = line.popFirst() { numbers.append(job.number) }
        return numbers
    }

    @Test("Reads of begun requests and others take turns, each kind first in, first out")
    mutating func turns() {
        for number in 1...5 { line.append(Self.job(number, isBegun: true)) }
        for number in 6...8 { line.append(Self.job(number)) }
        #expect(line.count == 8)
        #expect(line.countToBegin == 3)
        #expect(rest() == [6, 1, 7, 2, 8, 3, 4, 5])
        #expect(line.count == 0)
        #expect(line.countToBegin == 0)
    }

    @Test("A read that is removed is not counted and does not run")
    mutating func removal() {
        for number in 1...200 { line.append(Self.job(number, isBegun: number.isMultiple(of: 2))) }
        for number in 1...196 { #expect(line.remove(number)?.number == number) }
        #expect(line.remove(1) == nil)
        #expect(line.countToBegin == 2)
        #expect(line.removeAll { $0.number == 197 }.map(\.number) == [197])
        #expect(line.countToBegin == 1)
        #expect(rest() == [199, 198, 200])
    }
}
