extension OutputRawSpan {
    /// Appends the bytes from `offset` on, as many as there are and as there is room for.
    ///
    /// - Returns: How many were appended.
    package mutating func append(_ bytes: [UInt8], from offset: Int = 0) -> Int {
        guard (0..<bytes.count).contains(offset) else { return 0 }
        let count = min(freeCapacity, bytes.count - offset)
        // Safe: both pointers stay in their closures, `count` bytes are there in the source and free in the target, and
        // exactly these are initialized.
        unsafe withUnsafeMutableBytes { target, initialized in
            unsafe bytes[offset..<(offset + count)].withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[initialized...]).copyMemory(from: source)
            }
            initialized += count
        }
        return count
    }

    /// Lets `body` write into the free bytes, but into `limit` of them at most.
    package mutating func withRoom<Result>(_ limit: Int, _ body: (inout OutputRawSpan) -> Result) -> Result {
        // Safe: the inner span covers free bytes alone, does not outlive the closure, and its own count says how many of
        // them it has initialized.
        unsafe withUnsafeMutableBytes { target, initialized in
            let free = unsafe target[initialized...].prefix(Swift.max(limit, 0))
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: free)
            var span = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
            let result = body(&span)
            // Safe: `room` is what the span was made of.
            initialized += unsafe span.finalize(for: room)
            return result
        }
    }
}
