/// A generator of random numbers from the kernel, which it asks for 32 at a time.
///
/// For identifiers: a call of the kernel takes longer than everything else that makes one. Not for keys, because the
/// numbers that are given out next are in memory. A copy gives out the same numbers again: each reserve has one place.
package struct RandomReserve: RandomNumberGenerator, Sendable {
    /// The number of 64-bit numbers that fit into one call of the kernel.
    private static let size = 32

    private var numbers: [UInt64] = []
    private let randomBytes: @Sendable (Int) -> [UInt8]?

    /// Creates a reserve without numbers.
    ///
    /// - Parameter randomBytes: Returns random bytes; the kernel's by default.
    package init(randomBytes: @escaping @Sendable (Int) -> [UInt8]? = SystemRandomness.bytes) {
        self.randomBytes = randomBytes
    }

    /// Returns the next number, which this reserve gives out once.
    package mutating func next() -> UInt64 {
        if let number = numbers.popLast() { return number }
        fill()
        if let number = numbers.popLast() { return number }
        // The kernel has given none: the standard library waits until it does.
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    private mutating func fill() {
        let width = MemoryLayout<UInt64>.size
        guard let bytes = randomBytes(Self.size * width) else { return }
        numbers.reserveCapacity(Self.size)
        for start in stride(from: 0, to: bytes.count - width + 1, by: width) {
            numbers.append(bytes[start..<start + width].reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}
