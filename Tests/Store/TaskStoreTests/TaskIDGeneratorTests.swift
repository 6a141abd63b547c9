import ErrandCryptography
import ErrandTaskStore
import ErrandTime
import Testing

@Suite("TaskIDGenerator")
struct TaskIDGeneratorTests {
    @Test("Concurrent callers get distinct identifiers, and each gets increasing ones")
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
        let generator = TaskIDGenerator(
            now: { Timestamp(milliseconds: 0x0123_4567_89AB) },
            random: RandomReserve { [UInt8](repeating: 0, count: $0) })
        #expect(generator.next().description == "01234567-89ab-7000-8000-000000000000")
        #expect(generator.next().description == "01234567-89ab-7000-8001-000000000000")
    }

    @Test("Identifiers continue after a given one, regardless of the clock")
    func beyond() {
        let late = Timestamp(milliseconds: 1_795_000_000_000)
        let generator = TaskIDGenerator(now: { late.adding(.seconds(-28_800)) })
        var before = TaskID.last(at: late)
        generator.advance(beyond: before)
        for _ in 0..<1000 {
            let next = generator.next()
            #expect(next > before)
            before = next
        }
        generator.advance(beyond: .first(at: late.adding(.seconds(-60))))
        #expect(generator.next() > before)
    }
}
