import Glibc

/// The core dumps of the process, whose memory contains secrets.
enum CoreDumps {
    /// Disables core files, and excludes all memory from core dumps piped to a program, which ignore that limit
    /// (core(5)).
    ///
    /// Only the soft limit is changed: `prlimit --core=unlimited --pid PID` enables dumps again, and
    /// `/proc/PID/coredump_filter` selects their contents.
    ///
    /// - Returns: `false` if the system refused any part.
    static func keepSecrets() -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { return false }
        limit.rlim_cur = 0
        let isLimited = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        return writeFilter() && isLimited
    }

    private static func writeFilter() -> Bool {
        let file = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        // A kernel without core dumps (CONFIG_ELF_CORE) has no filter either.
        guard file >= 0 else { return errno == ENOENT }
        defer { close(file) }
        return write(file, "0", 1) == 1
    }
}
