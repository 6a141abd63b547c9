import CErrandOpenSSL

/// The key of one message: 32 bytes that are overwritten after use.
struct MessageKey: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer

    /// Computes a key.
    ///
    /// - Parameter fill: Writes all 32 bytes.
    init(_ fill: (UnsafeMutableRawBufferPointer) throws(SealingError) -> Void) throws(SealingError) {
        bytes = .allocate(byteCount: SealingKey.byteCount, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        do {
            try fill(bytes)
        } catch {
            Self.wipe(bytes)
            throw error
        }
    }

    deinit {
        Self.wipe(bytes)
    }

    /// Calls `body` with the bytes, which are valid only during the call.
    borrowing func withBytes<Result>(
        _ body: (UnsafePointer<UInt8>?) throws(SealingError) -> Result
    ) throws(SealingError) -> Result {
        try body(bytes.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) })
    }

    private static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        // The compiler would remove a plain write whose result is not read.
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }
}
