import Glibc

/// The limit of open files: thousands of connections need more than the 1,024 that a process usually begins with.
enum OpenFileLimit {
    /// Raises the soft limit to the hard one.
    ///
    /// Where that is refused, the limit stays as it was.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
