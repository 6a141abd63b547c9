import ErrandTime
internal import Glibc

import struct Synchronization.Atomic

/// The resources that the process uses, as the system counts them.
///
/// A value is `nil` if the system does not report it, or if no descriptor is free to read it.
package struct ProcessUsage: Sendable, Hashable {
    /// The memory of the process that is resident, in bytes.
    package private(set) var residentBytes: Int?
    /// The processor time in user and system mode, in seconds.
    package private(set) var processorSeconds: Double?
    /// The number of threads.
    package private(set) var threads: Int?
    /// The number of open descriptors.
    package private(set) var openDescriptors: Int?
    /// The number of descriptors that the process may open; `nil` without a limit.
    package private(set) var maxDescriptors: Int?
    /// The start of the process, in seconds since the start of 1970.
    ///
    /// Derived by the first query that succeeds, so that it stays the same when the clock is set.
    package private(set) var startSeconds: Double?

    /// Queries the system; reads `/proc`, which does not wait for a disk.
    package init() {
        let status = Self.statusLine().flatMap { Status($0) }
        if let status {
            residentBytes = status.residentPages * Int(sysconf(Int32(_SC_PAGESIZE)))
            processorSeconds = Double(status.processorTicks) / Self.ticksPerSecond
            threads = status.threads
        }
        openDescriptors = Self.countDescriptors()
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max {
            maxDescriptors = Int(clamping: limit.rlim_cur)
        }
        startSeconds = Self.start(status)
    }

    /// The fields of `/proc/self/stat` (proc(5)) that are used.
    struct Status: Hashable {
        /// The processor time in user and system mode, in ticks.
        let processorTicks: Int
        /// The number of threads.
        let threads: Int
        /// The time from the start of the system to the start of the process, in ticks.
        let startTicks: Int
        /// The number of resident pages.
        let residentPages: Int

        /// Parses the line; returns `nil` if a field is missing.
        init?(_ line: String) {
            // The second field is the name of the program in parentheses, which may contain spaces and parentheses.
            guard let end = line.lastIndex(of: ")") else { return nil }
            let fields = line[line.index(after: end)...].split { $0 == " " || $0 == "\n" }
            // The first of them is field 3.
            func number(_ field: Int) -> Int? { fields.count > field - 3 ? Int(fields[field - 3]) : nil }
            guard let user = number(14), let system = number(15), let threads = number(20), let start = number(22),
                let pages = number(24)
            else { return nil }
            processorTicks = user + system
            self.threads = threads
            startTicks = start
            residentPages = pages
        }
    }

    private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    /// The bits of the start that was derived; 0 before.
    private static let knownStart = Atomic<UInt64>(0)

    /// Returns the start of the process, in seconds since the start of 1970.
    private static func start(_ status: Status?) -> Double? {
        let known = knownStart.load(ordering: .relaxed)
        guard known == 0 else { return Double(bitPattern: known) }
        guard let status else { return nil }
        let boot = SystemClock.millisecondsSince1970() - SystemClock.millisecondsSinceBoot()
        let start = Double(boot) / 1000 + Double(status.startTicks) / ticksPerSecond
        let (isFirst, other) = knownStart.compareExchange(
            expected: 0, desired: start.bitPattern, ordering: .relaxed)
        return isFirst ? start : Double(bitPattern: other)
    }

    /// Returns the content of `/proc/self/stat`.
    private static func statusLine() -> String? {
        do throws(SystemFailure) {
            let file = try FileDescriptor("/proc/self/stat", O_RDONLY)
            return String(decoding: try file.read(4096, at: 0), as: UTF8.self)
        } catch {
            return nil
        }
    }

    private static func countDescriptors() -> Int? {
        let descriptor = DescriptorReserve.admit(open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard let listing = fdopendir(descriptor) else {
            close(descriptor)
            return nil
        }
        defer { closedir(listing) }
        // Without the two entries of every folder, and the descriptor of the listing itself.
        var count = -3
        while readdir(listing) != nil { count += 1 }
        return count
    }
}
