import Glibc

extension [UInt8] {
    /// The length of the block of which ``noise(_:seed:)`` consists.
    private static let noiseBlock = 65_536

    /// Returns bytes that look random: the same for the same seed, and others for another one.
    ///
    /// A block is repeated, each time with its number added to the first eight bytes, so that no two parts are equal. To make
    /// each byte of some megabytes by itself would take seconds in a debug build with a sanitizer.
    package static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        var block: [UInt8] = []
        block.reserveCapacity(noiseBlock)
        while block.count < Swift.min(noiseBlock, count + 8) {
            var word = random.next()
            for _ in 0..<8 {
                block.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        let head = Array(block.prefix(8))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let number = bytes.count / noiseBlock
            for offset in 0..<8 { block[offset] = head[offset] ^ UInt8(truncatingIfNeeded: number >> (8 * offset)) }
            bytes.append(contentsOf: block.prefix(count - bytes.count))
        }
        return bytes
    }

    /// Returns the bytes so many times, one after the other.
    ///
    /// Joining a sequence of arrays takes a call for each byte in a debug build.
    package func repeated(_ times: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * times)
        for _ in 0..<times { bytes.append(contentsOf: self) }
        return bytes
    }

    /// Returns the index of the first occurrence of other bytes, at or after an index.
    package func firstIndex(of other: [UInt8], from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            other.withUnsafeBytes { other -> Int? in
                guard let base = bytes.baseAddress, let pattern = other.baseAddress, !other.isEmpty else { return nil }
                var index = start
                while index + other.count <= bytes.count,
                    let found = memchr(base + index, Int32(other[0]), bytes.count - other.count + 1 - index)
                {
                    index = UnsafeRawPointer(found) - base
                    if memcmp(found, pattern, other.count) == 0 { return index }
                    index += 1
                }
                return nil
            }
        }
    }
}
