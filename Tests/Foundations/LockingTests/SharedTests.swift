import ErrandLocking
import Testing

@Suite("A shared value")
struct SharedTests {
    @Test("is stored once, however often its owner is copied")
    func copies() {
        struct Owner {
            var shared: Shared<[Int]>
        }
        let one = Owner(shared: Shared([1, 2]))
        var other = one
        #expect(one.shared === other.shared)
        #expect(MemoryLayout<Owner>.size == MemoryLayout<Int>.size)
        other.shared = Shared([3])
        #expect(one.shared.value == [1, 2])
        #expect(other.shared.value == [3])
    }
}
