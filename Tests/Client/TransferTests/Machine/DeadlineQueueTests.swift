import ErrandSupport
import ErrandTransfer
import Testing

@Suite("DeadlineQueue")
struct DeadlineQueueTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private func at(_ seconds: Int) -> MonotonicInstant {
        start.advanced(by: .seconds(seconds))
    }

    @Test("returns due keys, the earliest first")
    func order() {
        var queue = DeadlineQueue()
        for (key, second) in [3, 1, 4, 2, 5].enumerated() { queue.set(at(second), for: key) }
        #expect(queue.earliest == at(1))
        #expect(queue.popDue(at: at(0)) == nil)
        #expect([queue.popDue(at: at(3)), queue.popDue(at: at(3)), queue.popDue(at: at(3))] == [1, 3, 0])
        #expect(queue.popDue(at: at(3)) == nil)
        #expect(queue.earliest == at(4))
    }

    @Test("moves a key to another deadline and removes one")
    func changes() {
        var queue = DeadlineQueue()
        for key in 0..<4 { queue.set(at(key), for: key) }
        queue.set(at(9), for: 0)
        queue.set(nil, for: 1)
        queue.set(nil, for: 1)
        queue.set(nil, for: 77)
        queue.set(at(0), for: 3)
        #expect(queue[0] == at(9))
        #expect(queue[1] == nil)
        #expect([queue.popDue(at: at(9)), queue.popDue(at: at(9)), queue.popDue(at: at(9))] == [3, 2, 0])
        #expect(queue.earliest == nil)
    }

    @Test("ignores invalid keys")
    func badKeys() {
        var queue = DeadlineQueue()
        queue.set(at(1), for: -1)
        #expect(queue.earliest == nil)
        #expect(queue[-1] == nil)
    }

    @Test("agrees with a plain list in ten thousand random steps")
    func random() {
        var generator = SplitMix64(seed: 7)
        var queue = DeadlineQueue()
        var plain: [Int: Int] = [:]
        for _ in 0..<10_000 {
            let key = Int.random(in: 0..<50, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                queue.set(nil, for: key)
                plain[key] = nil
            case 1:
                let now = Int.random(in: 0..<1_000, using: &generator)
                if let due = queue.popDue(at: at(now)) {
                    #expect(plain[due] == plain.values.min())
                    plain[due] = nil
                } else {
                    #expect(plain.values.allSatisfy { $0 > now })
                }
            default:
                let second = Int.random(in: 0..<1_000, using: &generator)
                queue.set(at(second), for: key)
                plain[key] = second
            }
            #expect(queue.earliest == plain.values.min().map(at))
        }
    }
}
