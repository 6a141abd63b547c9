import ErrandCookies
import ErrandLocking
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("SessionCookies", .timeLimit(.hang))
struct SessionCookiesTests {
    private let time = Time()
    private let failures = Failures()
    private let broken = CookieStorageError(.writeFailed, "The disk is full", underlying: "ENOSPC")

    private final class Time: Sendable {
        private let seconds = Mutex(newYear)
        var now: Int64 { seconds.withLock { $0 } }
        func pass(_ interval: Int64) { seconds.withLock { $0 += interval } }
    }

    private final class Failures: Sendable {
        private let list = Mutex<[CookieStorageError]>([])
        var all: [CookieStorageError] { list.withLock { $0 } }
        func add(_ error: CookieStorageError) { list.withLock { $0.append(error) } }
    }

    private func cookies(_ storage: MemoryCookieStorage) -> SessionCookies {
        SessionCookies(storage: storage, now: { [time] in time.now }, onFailure: { [failures] in failures.add($0) })
    }

    private var home: HTTPURL {
        get throws { try url("https://example.com/") }
    }

    // MARK: In memory

    @Test("Without a storage, cookies live as long as the object, and flushing returns at once")
    func ephemeral() async throws {
        let cookies = SessionCookies(now: { [time] in time.now })
        try await cookies.prepare()
        cookies.store(["a=1; Max-Age=10", "b=2"], from: try home)
        #expect(cookies.header(for: try home) == "a=1; b=2")
        try await cookies.flush()
        time.pass(10)
        #expect(cookies.header(for: try home) == "b=2")
        #expect(cookies.cookies.map(\.name) == ["b"])
        try await cookies.removeAll()
        #expect(cookies.header(for: try home) == nil)
    }

    @Test("The limits apply to the jar")
    func limits() throws {
        let cookies = SessionCookies(limits: CookieLimits(maxPerDomain: 1), now: { newYear })
        cookies.store(["a=1", "b=2"], from: try home)
        #expect(cookies.cookies.map(\.name) == ["b"])
    }

    @Test("A cookie of the program for which there is no room is not set; one that has expired needs none")
    func noRoom() throws {
        let cookies = SessionCookies(limits: CookieLimits(maxPerDomain: 1), now: { newYear })
        cookies.store(["a=1; Secure"], from: try home)
        let (other, expired) = (try Cookie.sample("b"), try Cookie.sample("b", expires: newYear))
        #expect(!cookies.set(other))
        #expect(cookies.set(expired))
        #expect(cookies.cookies.map(\.name) == ["a"])
        let same = try Cookie.sample("a", "2")
        #expect(cookies.set(same))
        #expect(cookies.cookies.map(\.value) == ["2"])
    }

    // MARK: Loading

    @Test("Stored cookies are available after preparing, and loaded once for concurrent calls")
    func loading() async throws {
        let storage = MemoryCookieStorage([try .sample("a", order: 0), try .sample("b", order: 1)])
        let cookies = cookies(storage)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await cookies.prepare() } }
            try await group.waitForAll()
        }
        #expect(cookies.header(for: try home) == "a=1; b=1")
        #expect(storage.loads == 1)
        #expect(storage.batches.isEmpty)
    }

    @Test("A call that is canceled waits no longer, and the load goes on for the others")
    func canceledLoading() async throws {
        let storage = MemoryCookieStorage([try .sample("a")])
        let cookies = cookies(storage)
        let (entered, released) = (Signal<Void>(), Signal<Void>())
        storage.beforeLoad { () async throws(CookieStorageError) in
            entered.send()
            await released.wait()
        }
        let first = Task { await cookies.prepareUnlessCanceled() }
        await entered.wait()
        let second = Task { await cookies.prepareUnlessCanceled() }
        first.cancel()
        let isUndecided = await first.value == nil
        #expect(isUndecided)
        #expect(cookies.mustLoad)
        released.send()
        let result = try #require(await second.value)
        try result.get()
        #expect(cookies.header(for: try home) == "a=1")
        #expect(storage.loads == 1)
        #expect(!cookies.mustLoad)
    }

    @Test("A failed load is reported, and the next call loads again")
    func failedLoading() async throws {
        let storage = MemoryCookieStorage([try .sample("a")])
        let cookies = cookies(storage)
        let error = CookieStorageError(.readFailed, "The database is closed")
        storage.beforeLoad { () throws(CookieStorageError) in throw error }
        await #expect(throws: error) { try await cookies.prepare() }
        storage.beforeLoad(nil)
        try await cookies.prepare()
        #expect(cookies.header(for: try home) == "a=1")
        #expect(storage.loads == 2)
    }

    @Test("A cookie received before loading takes precedence, and is written after it")
    func receivedBeforeLoading() async throws {
        let storage = MemoryCookieStorage([try .sample("a", "old"), try .sample("b", "old", order: 1)])
        let cookies = cookies(storage)
        cookies.store(["a=new; Max-Age=60"], from: try home)
        #expect(storage.batches.isEmpty)
        try await cookies.flush()
        #expect(storage.kept == ["a=new", "b=old"])
        #expect(cookies.header(for: try home) == "a=new; b=old")
    }

    @Test("A session cookie received before loading replaces the stored one, which would outlive it")
    func sessionCookieBeforeLoading() async throws {
        let storage = MemoryCookieStorage([try .sample("a", "old"), try .sample("b", "old", order: 1)])
        let cookies = cookies(storage)
        cookies.store(["a=new"], from: try home)
        try await cookies.prepare()
        try await cookies.flush()
        #expect(cookies.header(for: try home) == "a=new; b=old")
        #expect(storage.kept == ["b=old"])
    }

    @Test("Stored cookies that have expired are removed from the storage")
    func expiredMeanwhile() async throws {
        let storage = MemoryCookieStorage([try .sample("a", expires: newYear), try .sample("b", order: 1)])
        let cookies = cookies(storage)
        try await cookies.prepare()
        try await cookies.flush()
        #expect(storage.kept == ["b=1"])
    }

    // MARK: Writing

    @Test("Changes are written, but not session cookies")
    func writing() async throws {
        let storage = MemoryCookieStorage()
        let cookies = cookies(storage)
        try await cookies.prepare()
        cookies.store(["a=1; Max-Age=60", "b=2; Max-Age=60", "c=3"], from: try home)
        try await cookies.flush()
        #expect(storage.kept == ["a=1", "b=2"])
        cookies.store(["a=; Max-Age=0", "b=4"], from: try home)
        try await cookies.flush()
        #expect(storage.kept.isEmpty)
        #expect(cookies.header(for: try home) == "b=4; c=3")
    }

    @Test("A cookie of the program is stored if it has an expiry date, and one that is refused changes nothing")
    func settingByProgram() async throws {
        let storage = MemoryCookieStorage()
        let cookies = cookies(storage)
        try await cookies.prepare()
        #expect(cookies.set(try .sample("a")))
        #expect(cookies.set(try .sample("b", expires: nil)))
        #expect(!cookies.set(try .sample("c", domain: "EXAMPLE.com")))
        try await cookies.flush()
        #expect(storage.kept == ["a=1"])
        #expect(cookies.header(for: try home) == "a=1; b=1")
    }

    @Test("A cookie that expires is removed from the storage with the next request")
    func expiring() async throws {
        let storage = MemoryCookieStorage()
        let cookies = cookies(storage)
        try await cookies.prepare()
        cookies.store(["a=1; Max-Age=60"], from: try home)
        try await cookies.flush()
        time.pass(60)
        #expect(cookies.header(for: try home) == nil)
        try await cookies.flush()
        #expect(storage.kept.isEmpty)
    }

    @Test("Requests do not wait for the storage, and changes during a write form one batch")
    func notWaiting() async throws {
        let storage = MemoryCookieStorage()
        let cookies = cookies(storage)
        try await cookies.prepare()
        let (entered, released) = (Signal<Void>(), Signal<Void>())
        storage.beforeSave { () async throws(CookieStorageError) in
            entered.send()
            await released.wait()
        }
        cookies.store(["a=1; Max-Age=60"], from: try home)
        await entered.wait()
        for number in 0..<100 {
            cookies.store(["n\(number % 10)=\(number); Max-Age=60"], from: try home)
            #expect(cookies.header(for: try home)?.contains("=\(number)") == true)
        }
        released.send()
        try await cookies.flush()
        #expect(storage.batches.map(\.count) == [1, 10])
        #expect(storage.kept == ["a=1"] + (0..<10).map { "n\($0)=9\($0)" })
        #expect(!storage.wasCalledTwiceAtOnce)
    }

    @Test("A failed write is reported and retried with the next change")
    func failing() async throws {
        let storage = MemoryCookieStorage()
        let cookies = cookies(storage)
        try await cookies.prepare()
        storage.beforeSave { [broken] () throws(CookieStorageError) in throw broken }
        cookies.store(["a=1; Max-Age=60"], from: try home)
        await #expect(throws: broken) { try await cookies.flush() }
        #expect(!failures.all.isEmpty)
        #expect(failures.all.allSatisfy { $0 == broken })
        #expect(cookies.header(for: try home) == "a=1")
        storage.beforeSave(nil)
        let written = Signal<Void>()
        storage.beforeSave { () throws(CookieStorageError) in written.send() }
        cookies.store(["b=2; Max-Age=60"], from: try home)
        await written.wait()
        try await cookies.flush()
        #expect(storage.kept == ["a=1", "b=2"])
    }

    @Test("Flushing retries an earlier failed write")
    func flushingAgain() async throws {
        let storage = MemoryCookieStorage()
        let cookies = cookies(storage)
        try await cookies.prepare()
        storage.beforeSave { [broken] () throws(CookieStorageError) in throw broken }
        cookies.store(["a=1; Max-Age=60"], from: try home)
        await #expect(throws: broken) { try await cookies.flush() }
        storage.beforeSave(nil)
        try await cookies.flush()
        #expect(storage.kept == ["a=1"])
    }

    @Test("Flushing fails if the storage cannot be loaded, and retains the pending changes")
    func flushingUnread() async throws {
        let storage = MemoryCookieStorage()
        let cookies = cookies(storage)
        let error = CookieStorageError(.corrupt, "There is something else")
        storage.beforeLoad { () throws(CookieStorageError) in throw error }
        try await cookies.flush()
        cookies.store(["a=1; Max-Age=60"], from: try home)
        await #expect(throws: error) { try await cookies.flush() }
        storage.beforeLoad(nil)
        try await cookies.flush()
        #expect(storage.kept == ["a=1"])
    }

    @Test("Removing all cookies also removes those that were not loaded yet")
    func removingAll() async throws {
        let storage = MemoryCookieStorage([try .sample("a"), try .sample("b", domain: "example.org")])
        let cookies = cookies(storage)
        try await cookies.removeAll()
        #expect(storage.kept.isEmpty)
        #expect(cookies.cookies.isEmpty)
    }

    @Test("Stored cookies are not sent once their removal has begun, and those received meanwhile stay")
    func removingWhileLoading() async throws {
        let storage = MemoryCookieStorage([try .sample("a"), try .sample("b", "old", order: 1)])
        let cookies = cookies(storage)
        let here = try home
        let (entered, released) = (Signal<Void>(), Signal<Void>())
        storage.beforeLoad { () async throws(CookieStorageError) in
            entered.send()
            await released.wait()
        }
        let removal = Task { try await cookies.removeAll() }
        await entered.wait()
        cookies.store(["b=2; Max-Age=60"], from: here)
        let waiter = Task {
            try await cookies.prepare()
            return cookies.header(for: here)
        }
        released.send()
        let sent = try await waiter.value
        #expect(sent == "b=2")
        try await removal.value
        #expect(cookies.header(for: here) == "b=2")
        #expect(storage.kept == ["b=2"])
    }

    @Test("A removal whose load has failed is made with the next load")
    func removingUnread() async throws {
        let storage = MemoryCookieStorage([try .sample("a")])
        let cookies = cookies(storage)
        let error = CookieStorageError(.readFailed, "The database is closed")
        storage.beforeLoad { () throws(CookieStorageError) in throw error }
        await #expect(throws: error) { try await cookies.removeAll() }
        storage.beforeLoad(nil)
        try await cookies.prepare()
        #expect(cookies.header(for: try home) == nil)
        try await cookies.flush()
        #expect(storage.kept.isEmpty)
    }

    @Test("After many concurrent tasks the storage holds the same cookies as the jar", arguments: [false, true])
    func concurrency(_ isFlaky: Bool) async throws {
        let storage = MemoryCookieStorage([try .sample("old")])
        let cookies = cookies(storage)
        let saves = Mutex(0)
        if isFlaky {
            storage.beforeSave { [broken] () throws(CookieStorageError) in
                let count = saves.withLock { count in
                    count += 1
                    return count
                }
                if !count.isMultiple(of: 3) { throw broken }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    let here = try url("https://example.com/")
                    for turn in 0..<100 {
                        if turn == worker { try await cookies.prepare() }
                        cookies.store(
                            ["n\(worker)=\(turn); Max-Age=60", "shared=\(worker)-\(turn); Max-Age=\(turn % 5)"],
                            from: here)
                        _ = cookies.header(for: here)
                        if turn % 10 == 0 {
                            do throws(CookieStorageError) {
                                try await cookies.flush()
                            } catch {
                                #expect(error == broken)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        storage.beforeSave(nil)
        try await cookies.flush()
        #expect(storage.kept == cookies.cookies.map { "\($0.name)=\($0.value)" }.sorted())
        #expect((0..<16).allSatisfy { storage.kept.contains("n\($0)=99") })
        #expect(!storage.wasCalledTwiceAtOnce)
    }
}
