import ErrandTaskStore
import ErrandTime
import FoundationEssentials

/// The column `content`: the time in 8 bytes, or the size in 8 bytes and the SHA-256 in 32 bytes; numbers are in
/// network order.
extension TaskContent {
    /// The value of the column.
    var blob: Data {
        switch self {
        case .awaited(let until): Self.data(until.milliseconds)
        case .stored(let size, let sha256): Self.data(size) + sha256
        }
    }

    /// Reads a value of the column; returns `nil` for any other value.
    init?(blob: [UInt8]) {
        guard blob.count == 8 || blob.count == 40 else { return nil }
        let number = Int64(bitPattern: blob.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        if blob.count == 8 {
            self = .awaited(until: Timestamp(milliseconds: number))
        } else {
            guard number >= 0 else { return nil }
            self = .stored(size: number, sha256: Array(blob.dropFirst(8)))
        }
    }

    private static func data(_ number: Int64) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
