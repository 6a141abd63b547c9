import TaskStore
import Testing

@Suite("TaskIDGenerator")
struct TaskIDGeneratorTests {
    @Test("Many callers get identifiers that are all different, and each its own in increasing order")
    func concurrent() async {
        let generator = TaskIDGenerator()
        let all = await withTaskGroup(of: [TaskID].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<1000).map { _ in generator.next() } }
            }
            return await group.reduce(into: [[TaskID]]()) { $0.append($1) }
        }
        #expect(Set(all.joined()).count == 8000)
        #expect(all.allSatisfy { $0 == $0.sorted() })
    }

    @Test("The clock and the random bits are the given ones")
    func parameters() {
        let generator = TaskIDGenerator(now: { Timestamp(milliseconds: 0x0123_4567_89AB) }, random: { 0 })
        #expect(generator.next().description == "01234567-89ab-7000-8000-000000000000")
        #expect(generator.next().description == "01234567-89ab-7000-8001-000000000000")
    }
}
