/// Content that is stored outside of memory.
public protocol StoredContent: Sendable {
    /// Reads the whole content into memory.
    func load() async throws(TransferError) -> [UInt8]
}
