import ErrandSupport
import Testing

@testable import HTTPSession

@Suite("A value that is kept after the first success", .timeLimit(.hang))
struct FirstSuccessTests {
    private struct Failure: Error, Equatable {}

    @Test("is created anew after each failure, and once")
    func failures() throws {
        let attempts = EventLog<Void>()
        let holder = FirstSuccess<Int, Failure> { () throws(Failure) in
            attempts.append()
            let count = attempts.events.count
            if count < 3 { throw Failure() }
            return count
        }
        for _ in 0..<2 { #expect(throws: Failure()) { try holder.value() } }
        for _ in 0..<2 { #expect(try holder.value() == 3) }
        #expect(attempts.events.count == 3)
    }

    @Test("is one for callers that come at the same time")
    func together() async {
        let attempts = EventLog<Void>()
        let holder = FirstSuccess<Int, Never> {
            attempts.append()
            return attempts.events.count
        }
        let values = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
            for _ in 0..<16 { group.addTask { holder.value() } }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 16))
        #expect(attempts.events.count == 1)
    }
}
