import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("A long run of the store")
struct LongRunTests {
    @Test("The last tasks of a long run are stored about as fast as the first")
    func rate() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let events = Mutex(0)
        store.observeEvents { written in events.withLock { $0 += written.count } }
        let (parts, blocks, blockTasks) = (6, 10, TestBuild.rounds(1000))
        var best: [Duration] = []
        for part in 0..<parts {
            // The test takes the best of ten blocks, because other tests run at the same time.
            var shortest = Duration.seconds(3600)
            for block in 0..<blocks {
                let start = ContinuousClock.now
                for number in 0..<blockTasks {
                    // Each task is committed separately, as with few clients.
                    try await store.insert(.sample((part * blocks + block) * blockTasks + number))
                }
                shortest = min(shortest, start.duration(to: .now))
            }
            best.append(shortest)
        }
        #expect(events.withLock { $0 } == parts * blocks * blockTasks)
        // The shortest of many: a ratio of two such times says little about the machine. With a chain that grows with
        // each commit, it would be far higher.
        #expect(best[parts - 1] < best[0] * 5, "\(best)")
        await store.close()
    }
}
