import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskWatchdog")
struct TaskWatchdogTests {
    /// A clock whose sleepers wake when the test resumes them, independent of time, as if no thread were free to run
    /// them.
    private final class BusyClock: Clock {
        typealias Instant = ManualClock.Instant

        private let state = Mutex(ManualClock().now)
        let sleeps = EventLog<Void>()
        let wakes = EventLog<Void>()

        var now: Instant { state.withLock { $0 } }
        var minimumResolution: Duration { .nanoseconds(1) }

        func advance(by duration: Duration) { state.withLock { $0 = $0.advanced(by: duration) } }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            let number = sleeps.events.count
            sleeps.append()
            _ = await wakes.first(number + 1)
        }
    }

    @Test("A process that runs no task for longer than the limit is unhealthy until it runs one again")
    func stuckPool() async throws {
        let clock = BusyClock()
        let watchdog = TaskWatchdog(clock: clock, limit: .seconds(10))
        let endpoints = OperationEndpoints(
            probe: ReadinessProbe(FlakyTaskStore(try GatewayFolder().store())), isDiskShort: { false }, versions: [],
            watchdog: watchdog, isDraining: { false }, hasSessions: { true },
            metrics: { _ in ServerResponse(status: .ok) })
        clock.advance(by: .seconds(60))
        #expect(try Self.health(endpoints).status == .ok, "not started")
        watchdog.start()
        _ = await clock.sleeps.first(1)
        clock.advance(by: .seconds(10))
        #expect(try Self.health(endpoints).status == .ok)
        clock.advance(by: .seconds(1))
        let stuck = try Self.health(endpoints)
        #expect(stuck.status == .serviceUnavailable)
        #expect(stuck.text.contains("/problems/tasks-stuck"))
        #expect(stuck.text.contains("11 s"))
        clock.wakes.append()
        _ = await clock.sleeps.first(2)
        #expect(try Self.health(endpoints).status == .ok)
        clock.advance(by: .seconds(60))
        #expect(watchdog.delay == .seconds(60))
        watchdog.stop()
        #expect(watchdog.delay == nil)
        clock.wakes.append()
    }

    /// Returns the response that the server's thread gives without a task.
    private static func health(_ endpoints: OperationEndpoints) throws -> ServerResponse {
        let route = try #require(endpoints.routes.first { $0.pattern == "/healthz" })
        let request = APIRequest(
            head: try .sample(.get, "/healthz"), parameters: RouteParameters(), caller: .anonymous, notes: nil,
            limiter: nil)
        guard case .immediate(let response) = try route.admit(request) else { throw NotAtOnce() }
        return response
    }

    private struct NotAtOnce: Error {}
}
