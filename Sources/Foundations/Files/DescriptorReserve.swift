internal import Glibc

/// The last descriptors that the process may open, which stay free for the runtime.
///
/// libdispatch counts its running threads about once a second while it is busy, by reading files in `/proc`. It ends
/// the process if it cannot open one. Therefore sockets and files of the project do not use the last descriptors.
///
/// The limit may change at any time (`prlimit`), so the system is asked each time. Any thread.
package enum DescriptorReserve {
    /// The number of descriptors that stay free.
    package static let count = 8

    /// Returns whether a descriptor that was just opened is one of the last.
    ///
    /// The system gives out the lowest free number, so a lower one may have become free since.
    package static func contains(_ descriptor: Int32) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        return rlim_t(clamping: descriptor) >= limit.rlim_cur - min(limit.rlim_cur, rlim_t(count))
    }

    /// Returns whether the next descriptor would be one of the last, or could not be opened.
    ///
    /// - Parameter descriptor: Any open descriptor, which is duplicated for a moment.
    package static func isReached(from descriptor: Int32) -> Bool {
        let next = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard next >= 0 else { return true }
        defer { close(next) }
        return contains(next)
    }

    /// Closes a descriptor that was just opened if it is one of the last.
    ///
    /// - Returns: The descriptor, or -1 with `EMFILE` in `errno`; a negative `descriptor` is returned as it is.
    package static func admit(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, contains(descriptor) else { return descriptor }
        close(descriptor)
        errno = EMFILE
        return -1
    }
}
