import ErrandHTTPServer

/// A limit for the bytes that all connections of a server together may hold for one purpose.
struct ByteBudget: Sendable {
    let limitBytes: Int
    private(set) var usedBytes = 0

    /// The largest size that counts as small, in bytes.
    static let smallBytes = ResponseBody.maxSmallBytes

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// Returns true if a holder that already has `held` bytes may have `bytes` in all.
    ///
    /// The last quarter is reserved for small holders, so that a few large ones do not exclude all others. A single
    /// holder may have any number.
    func allows(_ bytes: Int, held: Int = 0) -> Bool {
        guard usedBytes > held else { return true }
        let limit = bytes <= Self.smallBytes ? limitBytes : limitBytes / 4 * 3
        return bytes - held <= limit - usedBytes
    }

    mutating func take(_ bytes: Int) {
        usedBytes += bytes
    }

    mutating func giveBack(_ bytes: Int) {
        usedBytes -= bytes
    }
}
