import Testing

@testable import ErrandTaskStoreSQLite

@Suite("WriteQueue")
struct WriteQueueTests {
    @Test("The first operation starts a drain, the others wait for it, and batches keep the order")
    func turns() {
        var queue = WriteQueue<Int>(maxBatch: 3)
        let admissions = (0..<7).map { queue.submit($0) }
        #expect(admissions == [.starts] + Array(repeating: .waits, count: 6))
        #expect(queue.takeBatch() == [0, 1, 2])
        #expect(queue.submit(7) == .waits)
        #expect(queue.takeBatch() == [3, 4, 5])
        #expect(queue.takeBatch() == [6, 7])
        #expect(queue.takeBatch() == nil)
        #expect(queue.submit(8) == .starts)
    }

    @Test("Operations submitted together stay together, and an empty submission starts no drain")
    func several() {
        var queue = WriteQueue<Int>(maxBatch: 10)
        #expect(queue.submit(contentsOf: []) == .waits)
        #expect(queue.submit(contentsOf: [1, 2, 3]) == .starts)
        #expect(queue.submit(contentsOf: [4, 5]) == .waits)
        #expect(queue.takeBatch() == [1, 2, 3, 4, 5])
        #expect(queue.takeBatch() == nil)
        let isOpen = queue.close()
        #expect(isOpen)
        #expect(queue.submit(contentsOf: [6]) == .refused)
    }

    @Test("A closed queue refuses new operations and still returns the waiting ones")
    func closing() {
        var queue = WriteQueue<Int>()
        #expect(queue.submit(1) == .starts)
        let first = queue.close()
        let second = queue.close()
        #expect(first && !second)
        #expect(queue.submit(2) == .refused)
        #expect(queue.takeBatch() == [1])
        #expect(queue.takeBatch() == nil)
    }
}
