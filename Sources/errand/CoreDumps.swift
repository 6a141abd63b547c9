import Glibc

/// Keeps the memory of the process, which has secrets in it, out of core dumps.
enum CoreDumps {
    /// Has a crash leave no core file, and a program that the system pipes core dumps into, for which that limit does
    /// not hold (core(5)), get one without memory.
    ///
    /// Only the soft limit is changed: `prlimit --core=unlimited --pid PID` makes dumps possible again, and
    /// `/proc/PID/coredump_filter` says what is in them.
    ///
    /// - Returns: `false` when the system refused a part of it.
    static func keepSecrets() -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { return false }
        limit.rlim_cur = 0
        let isLimited = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        return writeFilter() && isLimited
    }

    private static func writeFilter() -> Bool {
        let file = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        // A kernel that writes no core dumps (CONFIG_ELF_CORE) has no filter either.
        guard file >= 0 else { return errno == ENOENT }
        defer { close(file) }
        return write(file, "0", 1) == 1
    }
}
