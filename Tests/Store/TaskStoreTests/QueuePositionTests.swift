import ErrandTaskStore
import ErrandTime
import Testing

@Suite("QueuePosition")
struct QueuePositionTests {
    private func position(_ priority: Int, at seconds: Int, number: UInt64 = 0) -> QueuePosition {
        let time = Timestamp(milliseconds: Int64(seconds) * 1000)
        return QueuePosition(priority: priority, readyAt: time, id: TaskID(timestamp: time, a: 0, b: number))
    }

    @Test("Of tasks with equal waiting times the highest priority is first, then the oldest task")
    func priorities() {
        let order = (0...9).reversed().map { position($0, at: 100) }
        #expect(order.shuffled().sorted() == order)
        let equal = (0..<5).map { position(5, at: 100, number: $0) }
        #expect(equal.shuffled().sorted() == equal)
        #expect(position(5, at: 100) < position(5, at: 101))
    }

    @Test("A priority level is worth a quarter of an hour: no task is overtaken for longer than nine of them")
    func aging() {
        let low = position(0, at: 0)
        #expect(position(1, at: 15 * 60 - 1) < low)
        #expect(position(1, at: 15 * 60 + 1) > low)
        #expect(position(9, at: 9 * 15 * 60 - 1) < low)
        #expect(position(9, at: 9 * 15 * 60 + 1) > low)
    }

    @Test("A task that a client wants next precedes all waiting tasks at any time")
    func next() {
        let next = QueuePosition(priority: 0, readyAt: .earliest, id: .last(at: .latest))
        #expect(next < position(9, at: 0))
        // No time and no priority causes an overflow.
        for time in [Timestamp.earliest, .latest] {
            let rank = QueuePosition(priority: 9, readyAt: time, id: .last(at: .latest)).rank
            #expect(rank == time.milliseconds - 9 * 900_000)
        }
        let damaged = QueuePosition(priority: .max, readyAt: .earliest, id: .last(at: .latest))
        #expect(damaged.id == .last(at: .latest))
    }
}
