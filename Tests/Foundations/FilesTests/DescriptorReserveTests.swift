import ErrandFiles
import Glibc
import Testing

@Suite("The reserve of descriptors")
struct DescriptorReserveTests {
    /// Runs `body` while this process may open only the next 30 descriptors, and passes it the limit.
    ///
    /// Everything that `body` opens is closed afterwards, as the test's own process needs descriptors to report.
    private static func limited<Result>(_ body: (Int) throws -> Result) throws -> Result {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        try #require(getrlimit(resource, &limit) == 0)
        let next = try #require(openNull())
        close(next)
        var low = limit
        low.rlim_cur = rlim_t(next) + 30
        try #require(setrlimit(resource, &low) == 0)
        defer {
            for descriptor in next..<next + 30 { close(descriptor) }
            setrlimit(resource, &limit)
        }
        return try body(Int(low.rlim_cur))
    }

    private static func openNull() -> Int32? {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }

    /// Opens files by the system's call until it fails, and returns how many.
    private static func openAll() -> Int {
        var count = 0
        while openNull() != nil { count += 1 }
        return count
    }

    @Test("Files do not use the last descriptors, which the system still gives out")
    func files() async {
        await #expect(processExitsWith: .success) {
            let (opened, left) = try Self.limited { _ in
                var files: [OpenFile] = []
                while let file = OpenFile() { files.append(file) }
                return (files.count, withExtendedLifetime(files) { Self.openAll() })
            }
            #expect(opened > 0)
            #expect(left == DescriptorReserve.count)
        }
    }

    @Test("The reserve is reached when the next descriptor is one of the last")
    func reached() async {
        await #expect(processExitsWith: .success) {
            let (isReached, opened, left, isReachedAtTheEnd) = try Self.limited { _ in
                let first = Self.openNull() ?? -1
                let isReached = DescriptorReserve.isReached(from: first)
                var opened = 0
                while !DescriptorReserve.isReached(from: first), Self.openNull() != nil { opened += 1 }
                return (isReached, opened, Self.openAll(), DescriptorReserve.isReached(from: first))
            }
            #expect(!isReached)
            #expect(opened > 0)
            #expect(left == DescriptorReserve.count)
            #expect(isReachedAtTheEnd)
        }
    }

    @Test("The reserve consists of the numbers below the limit")
    func numbers() async {
        await #expect(processExitsWith: .success) {
            let (last, first, before) = try Self.limited { limit in
                (
                    DescriptorReserve.contains(Int32(limit - 1)),
                    DescriptorReserve.contains(Int32(limit - DescriptorReserve.count)),
                    DescriptorReserve.contains(Int32(limit - DescriptorReserve.count - 1))
                )
            }
            #expect(last && first && !before)
        }
    }

    @Test("A failed open stays failed, with its reason")
    func failed() {
        errno = ENOENT
        #expect(DescriptorReserve.admit(-1) == -1)
        #expect(errno == ENOENT)
    }

    private final class OpenFile {
        private let file: FileDescriptor

        /// Opens a file; `nil` if there is no descriptor for it.
        init?() {
            do throws(SystemFailure) {
                file = try FileDescriptor("/dev/null", O_RDONLY)
            } catch {
                return nil
            }
        }
    }
}
