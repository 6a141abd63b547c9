import Testing

@testable import ErrandDownloads

@Suite("Ranges of bytes")
struct ByteRangesTests {
    @Test(
        "are in order, disjoint and not adjacent, however they were added",
        arguments: [
            ([], []), ([3..<3], []), ([0..<2, 2..<4], [0..<4]), ([4..<6, 0..<2], [0..<2, 4..<6]),
            ([0..<2, 4..<6, 1..<5], [0..<6]), ([0..<9, 2..<3], [0..<9]), ([2..<3, 0..<9], [0..<9]),
            ([0..<1, 2..<3, 4..<5, 1..<4], [0..<5]), ([5..<6, 1..<2, 3..<4], [1..<2, 3..<4, 5..<6]),
        ] as [([Range<Int64>], [Range<Int64>])])
    func inserted(ranges: [Range<Int64>], expected: [Range<Int64>]) {
        let set = ByteRanges(ranges)
        #expect(set.ranges == expected)
        #expect(set.count == Int64(expected.map(\.count).reduce(0, +)))
        #expect(set.end == expected.last?.upperBound ?? 0)
    }

    @Test("have the first gap before an end, and a complete beginning")
    func gaps() {
        let set = ByteRanges([0..<3, 5..<7])
        #expect(set.prefix == 3)
        #expect(set.firstGap(before: 9) == 3..<5)
        #expect(set.firstGap(before: 4) == 3..<4)
        #expect(set.firstGap(before: 3) == nil)
        #expect(ByteRanges([0..<9]).firstGap(before: 12) == 9..<12)
        #expect(ByteRanges([2..<9]).prefix == 0)
        #expect(ByteRanges([2..<9]).firstGap(before: 12) == 0..<2)
        #expect(set.count(from: 2) == 3)
        #expect(set.count(from: 6) == 1)
    }

    @Test("lose what lies beyond an offset")
    func removed() {
        var set = ByteRanges([0..<3, 5..<7, 9..<10])
        set.remove(from: 6)
        #expect(set.ranges == [0..<3, 5..<6])
        set.remove(from: 5)
        #expect(set.ranges == [0..<3])
        set.remove(from: 0)
        #expect(set.ranges.isEmpty)
    }
}
