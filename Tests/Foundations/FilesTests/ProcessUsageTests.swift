import ErrandSupport
import Glibc
import Testing

@testable import ErrandFiles

@Suite("The resources that the process uses")
struct ProcessUsageTests {
    private static let line =
        "42 (a ) (b) S 1 2 3 4 5 6 7 8 9 10 110 220 13 14 20 0 17 0 123456 999 512 18446744073709551615\n"

    @Test("The fields of the status follow the name, which may contain spaces and parentheses")
    func status() throws {
        let status = try #require(ProcessUsage.Status(Self.line))
        #expect(status.processorTicks == 330)
        #expect(status.threads == 17)
        #expect(status.startTicks == 123_456)
        #expect(status.residentPages == 512)
    }

    @Test("A status without a field is none", arguments: ["", "42 (a)", "42 (a) S 1 2 3", "42 a S"])
    func short(line: String) {
        #expect(ProcessUsage.Status(line) == nil)
    }

    @Test("The process has memory, threads and descriptors, and started in the past")
    func current() throws {
        let usage = ProcessUsage()
        #expect(try #require(usage.residentBytes) > 0)
        #expect(try #require(usage.processorSeconds) >= 0)
        #expect(try #require(usage.threads) > 0)
        #expect(try #require(usage.openDescriptors) > 0)
        let start = try #require(usage.startSeconds)
        #expect(start > 0)
        #expect(start <= Double(time(nil)) + 1)
        #expect(ProcessUsage().startSeconds == start, "it does not depend on the time of the query")
    }

    @Test("The start of the process is known as soon as it can be read, and stays the same")
    func start() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            try #require(getrlimit(resource, &limit) == 0)
            var low = limit
            low.rlim_cur = 0
            // Nothing is reported meanwhile, as that needs descriptors.
            let isLow = setrlimit(resource, &low) == 0
            let without = ProcessUsage()
            let isRestored = setrlimit(resource, &limit) == 0
            #expect(isLow && isRestored)
            #expect(without.startSeconds == nil)
            let start = try #require(ProcessUsage().startSeconds)
            #expect(ProcessUsage().startSeconds == start)
        }
    }

    @Test("The limit of descriptors is the one in force")
    func limit() throws {
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        #expect(ProcessUsage().maxDescriptors == (limit.rlim_cur == .max ? nil : Int(clamping: limit.rlim_cur)))
    }

    @Test("Open descriptors are counted")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            // Many, as the runtime may close some of its own in between.
            let before = try #require(ProcessUsage().openDescriptors)
            let opened = (0..<100).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }.filter { $0 >= 0 }
            let after = try #require(ProcessUsage().openDescriptors)
            for descriptor in opened { close(descriptor) }
            #expect(opened.count == 100)
            #expect(after > before)
        }
    }
}
