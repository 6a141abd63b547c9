import CErrandPublicSuffix

/// An owner of libpsl's list.
struct PublicSuffixData: ~Copyable, Sendable {
    /// The list; `nil` if libpsl was built without one and the system has none.
    // Immutable, and libpsl only reads a loaded list (libpsl(3), "thread-safe").
    private nonisolated(unsafe) let list: OpaquePointer?

    /// Loads the newest available list.
    init() {
        list = psl_latest(nil)
    }

    deinit {
        // psl_free(3) accepts the built-in list, and frees nothing then.
        psl_free(list)
    }

    /// Returns the same as ``PublicSuffixList/isPublicSuffix(_:)``, for names without NUL and without a trailing dot.
    func isPublicSuffix(_ name: String) -> Bool {
        guard let list else { return true }
        return psl_is_public_suffix(list, name) != 0
    }
}
