/// Observed values, counted in buckets.
///
/// It allocates memory only when it is created.
package struct Histogram: Sendable, Hashable {
    /// The upper limits of the buckets, in ascending order; the last bucket has none.
    package let limits: [Double]
    /// The number of values in each bucket, with one more bucket than limits.
    package private(set) var counts: [Int]
    /// The sum of all values.
    package private(set) var sum = 0.0

    /// Creates an empty histogram.
    package init(limits: [Double]) {
        self.limits = limits
        counts = Array(repeating: 0, count: limits.count + 1)
    }

    /// Counts a value in the first bucket whose limit is not below it.
    package mutating func observe(_ value: Double) {
        let bucket = limits.firstIndex { value <= $0 } ?? limits.count
        counts[bucket] += 1
        sum += value
    }
}
