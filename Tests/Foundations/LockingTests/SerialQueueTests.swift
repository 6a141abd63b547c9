import ErrandLocking
import Testing

@Suite("A serial queue")
struct SerialQueueTests {
    private struct Failure: Error, Equatable {}

    /// Counts the operations under way.
    private final class Running: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func begin() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    @Test("runs one operation at a time, and returns its value")
    func exclusion() async {
        let (queue, running) = (SerialQueue(), Running())
        let values = await withTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await queue.run { () async -> Int in
                        running.begin()
                        await Task.yield()
                        running.end()
                        return number
                    }
                }
            }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(running.most == 1)
        #expect(values.sorted() == Array(0..<100))
    }

    @Test("throws the error of an operation, and runs the next one")
    func error() async {
        let queue = SerialQueue()
        await #expect(throws: Failure()) {
            try await queue.run { () async throws(Failure) -> Int in throw Failure() }
        }
        #expect(await queue.run { 1 } == 1)
    }
}
