import Testing

@testable import ErrandDownloads

@Suite("Content-Range")
struct ContentRangeTests {
    @Test(
        "is read with its positions and the total",
        arguments: [
            ("bytes 0-9/10", 0...9, 10), ("bytes 5-9/*", 5...9, nil), (" BYTES 5-5/6 ", 5...5, 6),
            ("bytes */10", nil, 10), ("bytes */0", nil, 0),
        ] as [(String, ClosedRange<Int64>?, Int64?)])
    func valid(text: String, positions: ClosedRange<Int64>?, total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.positions == positions)
        #expect(range.total == total)
    }

    @Test(
        "is refused with another unit, and if it is not a range within the content",
        arguments: [
            "", "bytes", "bytes 0-9", "lines 0-9/10", "bytes 9-5/10", "bytes 0-10/10", "bytes */*", "bytes -5/10",
            "bytes 5-/10", "bytes +1-5/10", "bytes 0-9/10/10", "bytes 0-9/-1", "bytes  0-9/10", "bytes 0-4/10, 5-9/10",
            "bytes 0-99999999999999999999/*", "bytes 0-9223372036854775807/*",
        ])
    func invalid(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
