import ErrandTime
import Testing

@testable import ErrandTaskStore

@Suite("TaskQuery")
struct TaskQueryTests {
    private func id(_ milliseconds: Int64, _ b: UInt64 = 0) -> TaskID {
        TaskID(timestamp: Timestamp(milliseconds: milliseconds), a: 0, b: b)
    }

    @Test("The times exclude their own milliseconds")
    func times() {
        var query = TaskQuery()
        query.createdAfter = Timestamp(milliseconds: 10)
        query.createdBefore = Timestamp(milliseconds: 13)
        #expect(query.identifiers == id(11)...TaskID.last(at: Timestamp(milliseconds: 12)))
        query.createdBefore = Timestamp(milliseconds: 11)
        #expect(query.identifiers == nil)
    }

    @Test("Times at the ends of the calendar match no tasks or all tasks")
    func ends() {
        var query = TaskQuery()
        query.createdAfter = .latest
        #expect(query.identifiers == nil)
        query.createdAfter = .earliest
        #expect(query.identifiers?.lowerBound == TaskID.first(at: .earliest))
        query.createdAfter = nil
        query.createdBefore = .earliest
        #expect(query.identifiers == nil)
        query.createdBefore = .latest
        #expect(query.identifiers?.upperBound.timestamp.milliseconds == Timestamp.latest.milliseconds - 1)
    }

    @Test("A range of identifiers applies together with the times and the task before the page")
    func range() {
        var query = TaskQuery()
        query.range = id(10, 3)...id(20, 5)
        #expect(query.identifiers == id(10, 3)...id(20, 5))
        query.after = id(15)
        #expect(query.identifiers == id(10, 3)...TaskID.last(at: Timestamp(milliseconds: 14)))
        query.order = .oldestFirst
        #expect(query.identifiers == id(15, 1)...id(20, 5))
        query.createdBefore = Timestamp(milliseconds: 18)
        #expect(query.identifiers == id(15, 1)...TaskID.last(at: Timestamp(milliseconds: 17)))
        query.after = id(20, 5)
        #expect(query.identifiers == nil)
    }

    @Test("A page follows the task before it without a gap")
    func after() {
        var query = TaskQuery()
        query.after = id(10, 7)
        #expect(query.identifiers?.upperBound == id(10, 6))
        query.after = TaskID(timestamp: Timestamp(milliseconds: 10), a: 3, b: 0)
        #expect(query.identifiers?.upperBound == TaskID(timestamp: Timestamp(milliseconds: 10), a: 2, b: .max))
        query.after = id(10)
        #expect(query.identifiers?.upperBound == TaskID.last(at: Timestamp(milliseconds: 9)))
        query.after = id(0)
        #expect(query.identifiers == nil)
    }

    @Test("A page of the oldest tasks follows the task before it without a gap")
    func afterOldest() {
        var query = TaskQuery()
        query.order = .oldestFirst
        query.after = id(10, 7)
        #expect(query.identifiers?.lowerBound == id(10, 8))
        query.after = TaskID(timestamp: Timestamp(milliseconds: 10), a: 3, b: .max)
        #expect(query.identifiers?.lowerBound == TaskID(timestamp: Timestamp(milliseconds: 10), a: 4, b: 0))
        query.after = TaskID.last(at: Timestamp(milliseconds: 10))
        #expect(query.identifiers?.lowerBound == id(11))
        query.after = TaskID.last(at: .latest)
        #expect(query.identifiers == nil)
    }
}
