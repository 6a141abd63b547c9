import ErrandLocking
import ErrandSupport
import Testing

@Suite("A drain queue")
struct DrainQueueTests {
    @Test("has one drainer, which also takes elements that others add meanwhile, in order")
    func order() {
        var queue = DrainQueue<Int>()
        var mayDrain = [queue.append(1), queue.append(2)]
        var taken = [queue.next()]
        mayDrain.append(queue.append(3))
        taken += [queue.next(), queue.next()]
        mayDrain.append(queue.append(4))
        taken += [queue.next(), queue.next()]
        #expect(mayDrain == [true, false, false, false])
        #expect(taken == [1, 2, 3, 4, nil])
    }

    @Test("lets the next caller drain after the last found it empty")
    func again() {
        var queue = DrainQueue<Int>()
        var mayDrain = [queue.append(1)]
        var taken = [queue.next(), queue.next()]
        mayDrain.append(queue.append(2))
        taken.append(queue.next())
        #expect(mayDrain == [true, true])
        #expect(taken == [1, nil, 2])
    }

    @Test("gives batches up to a limit, in order, until it is empty")
    func batches() {
        var queue = DrainQueue<Int>()
        var mayDrain = [queue.append(contentsOf: [1, 2, 3])]
        var taken = [queue.next(atMost: 2)]
        mayDrain.append(queue.append(contentsOf: 4...5))
        #expect(queue.count == 3)
        taken += [queue.next(atMost: 3), queue.next(atMost: 3)]
        mayDrain.append(queue.append(6))
        #expect(mayDrain == [true, false, true])
        #expect(taken == [[1, 2], [3, 4, 5], nil])
    }

    @Test(
        "keeps the order of elements that are added and taken in turn, one by one and in batches",
        arguments: 0..<20 as Range<UInt64>)
    func turns(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = DrainQueue<Int>()
        var (added, taken) = (0, 0)
        for _ in 0..<1000 {
            let count = Int.random(in: 0...3, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                for number in added..<added + count { _ = queue.append(number) }
                added += count
            case 1:
                _ = queue.append(contentsOf: added..<added + count)
                added += count
            case 2:
                let expected: Int? = taken < added ? taken : nil
                let next = queue.next()
                #expect(next == expected)
                if expected != nil { taken += 1 }
            default:
                let expected = Array(taken..<min(added, taken + count + 1))
                let batch = queue.next(atMost: count + 1)
                #expect(batch ?? [] == expected && batch?.isEmpty != true)
                taken += expected.count
            }
            #expect(queue.count == added - taken)
        }
    }

    @Test("keeps no element that was taken")
    func release() {
        final class Element {}
        var queue = DrainQueue<Element>()
        weak var first: Element?
        do {
            let element = Element()
            first = element
            _ = queue.append(element)
            _ = queue.append(Element())
        }
        #expect(first != nil)
        _ = queue.next()
        #expect(first == nil)
        #expect(queue.count == 1)
    }

    @Test("needs no drain for no elements")
    func empty() {
        var queue = DrainQueue<Int>()
        let before = queue.append(contentsOf: [])
        let first = queue.append(1)
        let after = queue.append(contentsOf: [])
        #expect(!before && first && !after)
        #expect(queue.next() == 1)
        #expect(queue.next() == nil)
        #expect(queue.next(atMost: 1) == nil)
    }

    /// A queue of the numbers of several senders, with what its drains have taken.
    private struct Numbers {
        private var queue = DrainQueue<(sender: Int, number: Int)>()
        private var drains = 0
        private(set) var maxDrains = 0
        var taken: [[Int]] = Array(repeating: [], count: 8)

        mutating func append(_ number: Int, of sender: Int) -> Bool {
            let mayDrain = queue.append((sender, number))
            if mayDrain { drains += 1 }
            maxDrains = max(maxDrains, drains)
            return mayDrain
        }

        mutating func next() -> (sender: Int, number: Int)? {
            let next = queue.next()
            if next == nil { drains -= 1 }
            return next
        }
    }

    private final class SharedQueue: Sendable {
        let numbers = Mutex(Numbers())

        func send(_ count: Int, from sender: Int) {
            for number in 0..<count {
                guard numbers.withLock({ $0.append(number, of: sender) }) else { continue }
                while let next = numbers.withLock({ $0.next() }) {
                    // Under the lock again: a second drain could overtake this one in between.
                    numbers.withLock { $0.taken[next.sender].append(next.number) }
                }
            }
        }
    }

    @Test("has one drain at a time, which loses nothing and keeps the order of each caller")
    func concurrency() async {
        let queue = SharedQueue()
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask { queue.send(500, from: sender) }
            }
        }
        #expect(queue.numbers.withLock { $0.maxDrains } == 1)
        #expect(queue.numbers.withLock { $0.taken } == Array(repeating: Array(0..<500), count: 8))
    }
}
