import Testing

@testable import ErrandSessionCore

@Suite("An action queue")
struct ActionQueueTests {
    @Test("has one drainer, which also performs actions that others add meanwhile, in order")
    func order() {
        var queue = ActionQueue<Int>()
        var mayPerform = [queue.append(1), queue.append(2)]
        var performed = [queue.next()]
        mayPerform.append(queue.append(3))
        performed += [queue.next(), queue.next()]
        mayPerform.append(queue.append(4))
        performed += [queue.next(), queue.next()]
        #expect(mayPerform == [true, false, false, false])
        #expect(performed == [1, 2, 3, 4, nil])
    }

    @Test("lets the next caller drain after the last found it empty")
    func again() {
        var queue = ActionQueue<Int>()
        var mayPerform = [queue.append(1)]
        var performed = [queue.next(), queue.next()]
        mayPerform.append(queue.append(2))
        performed.append(queue.next())
        #expect(mayPerform == [true, true])
        #expect(performed == [1, nil, 2])
    }
}
