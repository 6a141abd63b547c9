import ErrandCookies
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("An attempt that waits for stored cookies", .timeLimit(.hang))
struct AttemptCookiesTests {
    private let clock = ManualClock()
    private let storage = SlowCookies()
    private let transport = ScriptedTransport([.head(204)])

    private func session() throws -> Session {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.cookies = .persistent
        configuration.response.serializer = .raw
        configuration.timeouts = TransferTimeouts(total: .seconds(5))
        return Session(configuration, transport: transport, cookieStorage: storage, clock: clock)
    }

    @Test("ends when it is canceled, and the load goes on for the others")
    func canceled() async throws {
        let session = try session()
        let tasks = try (0..<2).map { try session.task(TaskRequest(path: "\($0)")) }
        for task in tasks { task.resume() }
        _ = await storage.loads.first(1)
        tasks[0].cancel()
        #expect(await tasks[0].outcome.error?.code == .canceled)
        #expect(transport.requests.isEmpty)
        storage.released.send()
        #expect(await tasks[1].outcome.error == nil)
        #expect(transport.requests.map(\.url.path) == ["/1"])
        #expect(storage.loads.events.count == 1)
    }

    @Test("ends when its time is over")
    func overdue() async throws {
        let task = try session().task(TaskRequest())
        task.resume()
        _ = await storage.loads.first(1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        let error = await task.outcome.error
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("timeouts.total = 5s") == true)
        #expect(transport.requests.isEmpty)
        storage.released.send()
    }
}

/// A storage without cookies, whose load ends when a test says so.
private final class SlowCookies: CookieStorage {
    /// The loads that have begun.
    let loads = EventLog<Void>()
    let released = Signal<Void>()

    func load() async throws(CookieStorageError) -> [Cookie] {
        loads.append()
        await released.wait()
        return []
    }

    func save(_ changes: [CookieChange]) async throws(CookieStorageError) {}
}
