import ErrandFiles
import ErrandSupport
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

    /// Opens one file by the system's call, and returns whether it has one of the last descriptors.
    ///
    /// Never all of them: the runtime of the test's own process ends it if it cannot open a file.
    private static func nextIsInReserve() -> Bool {
        openNull().map { DescriptorReserve.contains($0) } ?? true
    }

    @Test("Files do not use the last descriptors, which the system still gives out")
    func files() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            let opened = try Self.limited { _ in
                var files: [OpenFile] = []
                // Again if the runtime has closed a file of its own in between.
                repeat {
                    while let file = OpenFile() { files.append(file) }
                } while !Self.nextIsInReserve()
                return withExtendedLifetime(files) { files.count }
            }
            #expect(opened > 0)
        }
    }

    @Test("The reserve is reached when the next descriptor is one of the last")
    func reached() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            let (opened, isReached) = try Self.limited { _ in
                let first = Self.openNull() ?? -1
                var opened = 0
                repeat {
                    while !DescriptorReserve.isReached(from: first), Self.openNull() != nil { opened += 1 }
                } while !Self.nextIsInReserve()
                return (opened, DescriptorReserve.isReached(from: first))
            }
            #expect(opened > 0)
            #expect(isReached)
        }
    }

    @Test("The reserve is reached when no descriptor can be opened")
    func none() {
        #expect(DescriptorReserve.isReached(from: -1))
    }

    @Test("The reserve consists of the numbers below the limit")
    func numbers() async {
        await #expect(processExitsWith: .success) {
            endInTime()
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
