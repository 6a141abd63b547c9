import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/drip")
struct DripEndpointTests {
    @Test("sends ten bytes over two seconds by default")
    func defaults() async throws {
        let clock = RecordingClock()
        let response = try await EchoClient(clock: clock).ask("/drip")
        #expect(response.length == 10)
        #expect(response.parts.map(\.count) == [Int](repeating: 1, count: 10))
        #expect(clock.waitedUntil == (0..<10).map { .milliseconds($0 * 200) })
        #expect(response.content == PatternContent.bytes(0..<10))
    }

    @Test("spreads many bytes over parts of 10 ms, after the delay")
    func manyBytes() async throws {
        let clock = RecordingClock()
        let response = try await EchoClient(clock: clock).ask("/drip?bytes=1000003&duration=0.5&delay=1")
        #expect(response.parts.count == 50)
        #expect(response.parts.allSatisfy { (20_000...20_001).contains($0.count) })
        #expect(response.content == PatternContent.bytes(0..<1_000_003))
        #expect(clock.waitedUntil.first == .seconds(1))
        #expect(clock.waitedUntil.last == .milliseconds(1490))
    }

    @Test("sends everything at once for a duration of zero, and nothing for zero bytes")
    func extremes() async throws {
        let client = try EchoClient(clock: RecordingClock())
        #expect(try await client.ask("/drip?bytes=5&duration=0").parts.map(\.count) == [5])
        let nothing = try await client.ask("/drip?bytes=0")
        #expect(nothing.length == 0)
        #expect(nothing.parts.isEmpty)
    }

    @Test("starts its time with the first read")
    func head() async throws {
        let clock = RecordingClock()
        let response = try await EchoClient(clock: clock).ask(.head, "/drip?bytes=7&delay=60")
        #expect(response.length == 7)
        #expect(clock.waitedUntil.isEmpty)
    }
}
