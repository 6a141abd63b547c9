/// A set of positions of bytes, as ranges in order: a value.
package struct ByteRanges: Sendable, Hashable {
    /// The ranges: none is empty, and there are other bytes between two of them.
    package private(set) var ranges: [Range<Int64>] = []

    /// Creates an empty set.
    package init() {}

    /// Creates a set of the bytes of ranges, which may overlap.
    package init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges { insert(range) }
    }

    /// The number of bytes.
    package var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    /// The number of bytes from an offset on.
    package func count(from offset: Int64) -> Int64 {
        ranges.reduce(0) { $0 + max($1.upperBound - max($1.lowerBound, offset), 0) }
    }

    /// The number of bytes at the beginning that are all in the set.
    package var prefix: Int64 {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// The position after the last byte.
    package var end: Int64 { ranges.last?.upperBound ?? 0 }

    /// Adds the bytes of a range.
    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        let end = ranges[first...].firstIndex { $0.lowerBound > range.upperBound } ?? ranges.endIndex
        var merged = range
        for other in ranges[first..<end] {
            merged = min(merged.lowerBound, other.lowerBound)..<max(merged.upperBound, other.upperBound)
        }
        ranges.replaceSubrange(first..<end, with: [merged])
    }

    /// Removes all bytes from an offset on.
    package mutating func remove(from offset: Int64) {
        ranges = ranges.compactMap { range in
            let rest = range.lowerBound..<max(min(range.upperBound, offset), range.lowerBound)
            return rest.isEmpty ? nil : rest
        }
    }

    /// Returns the first bytes before an end that are not in the set; `nil` if all are.
    package func firstGap(before end: Int64) -> Range<Int64>? {
        let start = prefix
        guard start < end else { return nil }
        let next = ranges.first { $0.lowerBound > start }?.lowerBound ?? end
        return start..<min(next, end)
    }
}
