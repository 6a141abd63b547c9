import ErrandTransfer
import Testing

@Suite("The bytes of an output span")
struct OutputRawSpanBytesTests {
    /// Returns the bytes that `body` writes into a span with this room, after an existing byte 9.
    private func written(_ room: Int, _ body: (inout OutputRawSpan) -> Void) -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: room + 1) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            var span = OutputRawSpan(buffer: target, initializedCount: 0)
            _ = span.append([9])
            body(&span)
            count = span.finalize(for: target)
        }
        return Array(bytes.dropFirst())
    }

    @Test(
        "are copied from the offset on, up to the free capacity",
        arguments: [
            (10, 0, [1, 2, 3]), (2, 0, [1, 2]), (10, 1, [2, 3]), (1, 1, [2]), (10, 3, []), (10, 4, []), (10, -1, []),
            (0, 0, []),
        ] as [(Int, Int, [UInt8])])
    func append(room: Int, offset: Int, expected: [UInt8]) {
        var count = -1
        #expect(written(room) { count = $0.append([1, 2, 3], from: offset) } == expected)
        #expect(count == expected.count)
    }

    @Test(
        "can be limited temporarily",
        arguments: [(10, 2, 2), (10, 0, 0), (10, -1, 0), (1, 5, 1), (10, .max, 10), (0, 5, 0)])
    func limited(room: Int, limit: Int, capacity: Int) {
        var free = -1
        let bytes = written(room) { span in
            free = span.withRoom(limit) { inner in
                defer { _ = inner.append([1]) }
                return inner.freeCapacity
            }
            _ = span.append([2])
        }
        #expect(free == capacity)
        #expect(bytes == Array(([1] as [UInt8]).prefix(capacity) + [2]).prefix(room).map { $0 })
    }
}
