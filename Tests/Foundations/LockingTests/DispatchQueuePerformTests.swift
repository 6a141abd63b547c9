import Dispatch
import ErrandLocking
import ErrandSupport
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

    @Test("in steps lets the queue perform other work between them")
    func steps() async {
        let (queue, order) = (queue, EventLog<String>())
        let count = await queue.performInSteps { () -> Int? in
            order.append("step")
            if order.events.count == 1 { queue.async { order.append("other") } }
            return order.events.count > 2 ? order.events.count : nil
        }
        #expect(count == 3)
        #expect(order.events == ["step", "other", "step"])
    }

    @Test("in steps ends with the error of a step")
    func failedStep() async {
        await #expect(throws: Failure()) {
            try await queue.performInSteps { () throws(Failure) -> Int? in throw Failure() }
        }
    }
}
