/// Gzip without compression: a valid member (RFC 1952) of stored deflate blocks (RFC 1951 §3.2.4).
///
/// `/gzip` only has to test that a client decodes gzip, so no compression library is needed.
enum StoredGzip {
    private static let maxBlockBytes = 65_535

    /// Returns the gzip member that decodes to `bytes`.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        // Magic number, deflate, no flags, no time, no extra flags, unknown system.
        var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var start = 0
        repeat {
            let end = min(start + maxBlockBytes, bytes.count)
            let length = UInt16(end - start)
            member.append(end == bytes.count ? 1 : 0)
            append(length, to: &member)
            append(~length, to: &member)
            member += bytes[start..<end]
            start = end
        } while start < bytes.count
        append(CRC32.checksum(bytes), to: &member)
        append(UInt32(truncatingIfNeeded: bytes.count), to: &member)
        return member
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

/// The checksum of gzip: the reflected CRC-32 of ITU-T V.42 (RFC 1952 §8).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    /// Returns the checksum of bytes.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}
