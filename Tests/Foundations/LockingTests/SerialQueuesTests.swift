import Dispatch
import ErrandLocking
import ErrandSupport
import Testing

@Suite("Serial queues that are used in turn", .timeLimit(.hang))
struct SerialQueuesTests {
    @Test("follow each other, and there is at least one")
    func turns() {
        let queues = SerialQueues(count: 3, label: "test")
        #expect(queues.all.map(\.label) == ["test-0", "test-1", "test-2"])
        #expect((0..<4).map { _ in queues.assign().label } == ["test-0", "test-1", "test-2", "test-0"])
        #expect(SerialQueues(count: 0, label: "test").assign().label == "test-0")
    }

    @Test("perform work, and in steps too, while one of them is blocked, which is assigned to no owner then")
    func blocked() async {
        let queues = SerialQueues(count: 2, label: "test")
        let mayEnd = Gate()
        defer { mayEnd.open() }
        await withContinuation { (begun: Continuation<Void>) in
            _ = Task {
                await queues.perform {
                    begun.resume()
                    mayEnd.wait()
                }
            }
        }
        for number in 0..<4 {
            #expect(await queues.perform { number } == number)
            let inSteps: Int = await queues.performInSteps { () -> Int? in number }
            #expect(inSteps == number)
            #expect(queues.assign().label == "test-1")
        }
    }

    /// Computes until the work is over, at most for some minutes; returns true if it is over.
    private static func compute(until isOver: () -> Bool) -> Bool {
        for _ in 0..<(1 << 32) where isOver() { return true }
        return false
    }

    @Test("leave the threads of Swift's pool to tasks, although as many as these compute")
    func threads() async {
        let count = LongWork.poolCount
        let work = LongWork(count: count)
        let ends = await withTaskGroup(of: Bool.self) { group in
            for queue in SerialQueues(count: count, label: "test").all {
                let isOver = work.isCanceled()
                group.addTask { await queue.perform { Self.compute(until: isOver) } }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(ends == Array(repeating: true, count: count))
    }
}
