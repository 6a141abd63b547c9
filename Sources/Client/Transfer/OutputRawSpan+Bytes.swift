extension OutputRawSpan {
    /// Appends the bytes from `offset` on, up to the free capacity.
    ///
    /// - Returns: The number of bytes appended.
    package mutating func append(_ bytes: [UInt8], from offset: Int = 0) -> Int {
        guard (0..<bytes.count).contains(offset) else { return 0 }
        let count = min(freeCapacity, bytes.count - offset)
        // Safe: neither pointer leaves its closure, `count` bytes are available in the source and free in the target,
        // and exactly these are initialized.
        unsafe withUnsafeMutableBytes { target, initialized in
            unsafe bytes[offset..<(offset + count)].withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[initialized...]).copyMemory(from: source)
            }
            initialized += count
        }
        return count
    }

    /// Calls `body` with a span over at most `limit` of the free bytes.
    package mutating func withRoom<Result>(_ limit: Int, _ body: (inout OutputRawSpan) -> Result) -> Result {
        // Safe: the inner span covers only free bytes, does not outlive the closure, and its own count states how many
        // of them it has initialized.
        unsafe withUnsafeMutableBytes { target, initialized in
            let free = unsafe target[initialized...].prefix(Swift.max(limit, 0))
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: free)
            var span = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
            let result = body(&span)
            // Safe: `room` is the buffer from which the span was created.
            initialized += unsafe span.finalize(for: room)
            return result
        }
    }
}
