import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/delay")
struct DelayEndpointTests {
    @Test(
        "waits for the seconds of the path, to the nanosecond",
        arguments: [
            ("0", Duration.zero), ("30", .seconds(30)), ("0.25", .milliseconds(250)),
            ("1.000000001", .seconds(1) + .nanoseconds(1)), ("3600", .seconds(3600)),
        ])
    func waits(seconds: String, duration: Duration) async throws {
        let clock = RecordingClock()
        let response = try await EchoClient(clock: clock).ask("/delay/\(seconds)")
        #expect(clock.waitedUntil == [duration])
        #expect(response.status == 200)
        #expect(response.text.hasPrefix(#"{"method":"GET","url":"/delay/\#(seconds)""#))
    }

    @Test("ends at once when the client disconnects")
    func canceled() async throws {
        guard case .deferred(let respond) = try EchoClient().disposition(.get, "/delay/3600") else {
            Issue.record("a delay was answered at once")
            return
        }
        let waiting = Task { await respond() }
        waiting.cancel()
        #expect(await waiting.value.status == .serviceUnavailable)
    }
}
