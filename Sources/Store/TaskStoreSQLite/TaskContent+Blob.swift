import ErrandTaskStore
import ErrandTime

/// The column `content`: the time in 8 bytes; the size of a stored content in 8 bytes and its SHA-256 in 32 bytes; or
/// one byte and the size of a content that was passed on in 8 bytes. The byte is 0 for a complete content and 1 for an
/// incomplete one. Numbers are in network order.
extension TaskContent {
    /// The number of bytes of the column for content that is awaited.
    static let awaitedBytes = 8

    /// The value of the column.
    var blob: [UInt8] {
        switch self {
        case .awaited(let until): Self.bytes(until.milliseconds)
        case .stored(let size, let sha256): Self.bytes(size) + sha256
        case .passedOn(let size, let isComplete): [isComplete ? 0 : 1] + Self.bytes(size)
        }
    }

    /// Reads a value of the column; returns `nil` for any other value.
    init?(blob: [UInt8]) {
        switch blob.count {
        case Self.awaitedBytes:
            self = .awaited(until: Timestamp(milliseconds: Self.number(blob[...])))
        case 9 where blob[0] <= 1:
            let size = Self.number(blob.dropFirst())
            guard size >= 0 else { return nil }
            self = .passedOn(size: size, isComplete: blob[0] == 0)
        case 40:
            self = .stored(size: Self.number(blob.prefix(8)), sha256: Array(blob.dropFirst(8)))
        default:
            return nil
        }
        guard size ?? 0 >= 0 else { return nil }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
