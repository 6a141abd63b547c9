import Dispatch
import ErrandLocking
import Testing

@Suite("Work on a queue")
struct DispatchQueuePerformTests {
    private struct Failure: Error, Equatable {}

    private let queue = DispatchQueue(label: "test")

    @Test("returns its value")
    func value() async {
        #expect(await queue.perform { 1 } == 1)
    }

    @Test("throws its error")
    func error() async {
        await #expect(throws: Failure()) {
            try await queue.perform { () throws(Failure) -> Int in throw Failure() }
        }
    }

    @Test("begins after the earlier work of the queue")
    func order() async {
        let order = Mutex<[Int]>([])
        queue.async { order.withLock { $0.append(1) } }
        await queue.perform { order.withLock { $0.append(2) } }
        #expect(order.withLock { $0 } == [1, 2])
    }
}
