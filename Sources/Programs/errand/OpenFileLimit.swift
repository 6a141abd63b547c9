import ErrandConfiguration
import Glibc

/// The limit of open files: thousands of connections need more than the usual default of 1,024.
enum OpenFileLimit {
    /// Raises the soft limit to the hard limit.
    ///
    /// If the system refuses, the limit stays unchanged.
    ///
    /// - Returns: The maximum number of open files in this process, as a budget for the configuration.
    static func raise() -> OpenFileBudget {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        // Querying the process's own limits does not fail.
        guard getrlimit(resource, &limit) == 0 else { return OpenFileBudget(limit: 1_024) }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        return OpenFileBudget(limit: Int(clamping: limit.rlim_cur))
    }
}
