import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("SpanQueue")
struct SpanQueueTests {
    private static func spans(_ ids: Range<Int>) -> [Span] {
        ids.map { number in
            Span(
                traceID: "t", id: "\(number)", parentID: "p", name: "n", kind: .internal,
                start: Timestamp(milliseconds: 0), end: Timestamp(milliseconds: 1))
        }
    }

    private static func queue(_ count: Int, capacity: Int) -> SpanQueue {
        var queue = SpanQueue(capacity: capacity)
        for span in spans(0..<count) { queue.append(span) }
        return queue
    }

    @Test("batches are in order and have a maximum size")
    func batches() {
        var queue = Self.queue(SpanQueue.maxBatch + 3, capacity: 10_000)
        #expect(queue.takeBatch() == Self.spans(0..<SpanQueue.maxBatch))
        #expect(queue.takeBatch() == Self.spans(SpanQueue.maxBatch..<SpanQueue.maxBatch + 3))
        #expect(queue.takeBatch().isEmpty)
    }

    @Test("spans without room are lost and counted once")
    func full() {
        var queue = Self.queue(7, capacity: 5)
        #expect(queue.count == 5)
        #expect(queue.takeLost() == 2)
        #expect(queue.takeLost() == 0)
    }

    @Test("spans that are removed are lost, together with those that found no room")
    func removed() {
        var queue = Self.queue(7, capacity: 5)
        #expect(queue.removeAll() == 7)
        #expect(queue.count == 0)
        #expect(queue.lost == 0)
    }

    @Test("a batch is full with the spans of a request, or with all that may wait")
    func batchFull() {
        for (count, capacity) in [(SpanQueue.maxBatch, 10_000), (5, 5)] {
            #expect(Self.queue(count, capacity: capacity).isBatchFull)
            #expect(!Self.queue(count - 1, capacity: capacity).isBatchFull)
        }
    }

    @Test("a batch that is put back comes first again, as far as there is room")
    func putBack() {
        var queue = Self.queue(4, capacity: 5)
        let batch = queue.takeBatch()
        for span in Self.spans(4..<7) { queue.append(span) }
        queue.putBack(batch)
        #expect(queue.takeBatch().map(\.id) == ["0", "1", "4", "5", "6"])
        #expect(queue.takeLost() == 2)
    }
}
