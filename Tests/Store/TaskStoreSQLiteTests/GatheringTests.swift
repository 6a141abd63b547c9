import ErrandLocking
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("Gathering")
struct GatheringTests {
    @Test("Values that arrive in any order are passed on once, in order, after the last one")
    func order() {
        let handed = Mutex<[[Int]]>([])
        let gathering = Gathering<Int>(4) { values in handed.withLock { $0.append(values) } }
        for index in [2, 0, 3] { gathering.add(index * 10, at: index) }
        #expect(handed.withLock { $0 }.isEmpty)
        gathering.add(10, at: 1)
        #expect(handed.withLock { $0 } == [[0, 10, 20, 30]])
    }
}
