import CPublicSuffix

/// The owner of libpsl's list.
struct PublicSuffixData: ~Copyable, Sendable {
    /// `nil` when libpsl was built without a list and the system has none.
    // Constant, and libpsl only reads a list that it has loaded (libpsl(3), "thread-safe").
    private nonisolated(unsafe) let list: OpaquePointer?

    /// Loads the newest list there is.
    init() {
        list = psl_latest(nil)
    }

    deinit {
        // The built-in list may be passed too; nothing is freed then.
        psl_free(list)
    }

    /// The same as ``PublicSuffixList/isPublicSuffix(_:)``, for names without NUL and without a dot at their end.
    func isPublicSuffix(_ name: String) -> Bool {
        guard let list else { return true }
        return psl_is_public_suffix(list, name) != 0
    }
}
