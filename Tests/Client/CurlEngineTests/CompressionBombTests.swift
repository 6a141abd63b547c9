import ErrandCompression
import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Foundation
import Testing

@Suite("CurlEngine: compression bombs", .timeLimit(.hang))
struct CompressionBombTests {
    /// Returns the peak memory use of this process in KiB.
    private static func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    /// Receives a bomb up to `limit` bytes in a separate process and checks its memory use.
    private static func defuse(_ bomb: CompressionBomb, limit: Int) async throws {
        try await withServer(bomb.script) { server, session in
            var request = try server.request()
            request.acceptsCompression = true
            let before = try peakMemory()
            let receiver = CountingReceiver(limit: limit)
            let outcome = await session.perform(request, receiver: receiver)
            #expect(outcome.error == CountingReceiver.tooLarge)
            #expect(receiver.count > limit && receiver.count <= limit + 65_536)
            #expect(outcome.metrics.bytesReceived < limit / 100)
            #expect(await server.ended.first(1) == [0])
            #expect(session.counts.openConnections == 0)
            #expect(try peakMemory() - before < 32_768)
        }
    }

    // Exit tests do not capture their arguments, so there is one expectation for each coding.

    @Test("stop at the receiver's limit with constant memory, and close the connection")
    func stops() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            try await Self.defuse(.gzip, limit: 64 << 20)
        }
        await #expect(processExitsWith: .success) {
            endInTime()
            try await Self.defuse(.deflate, limit: 64 << 20)
        }
    }

    @Test("in codings that were not offered are not decoded")
    func notOffered() async throws {
        try await withServer(CompressionBomb.brotli.script) { server, session in
            var request = try server.request()
            request.acceptsCompression = true
            let receiver = CountingReceiver(limit: 64 << 20)
            let outcome = await session.perform(request, receiver: receiver)
            #expect(outcome.error?.code == .badContentEncoding)
            #expect(receiver.count == 0)
            #expect(await server.ended.first(1) == [0])
        }
    }

    @Test(
        "use constant memory for more than ten gibibytes",
        .enabled(if: ProcessInfo.processInfo.environment["ERRAND_SOAK"] != nil))
    func soak() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            try await Self.defuse(.gzip, limit: CompressionBomb.size - 65_536)
        }
        await #expect(processExitsWith: .success) {
            endInTime()
            try await Self.defuse(.deflate, limit: CompressionBomb.size - 65_536)
        }
    }

    @Test("between two codings fail after several turns")
    func nested() async throws {
        let inner = try ContentCoding.gzip.encode([]) + [UInt8](repeating: 0, count: 17 << 20)
        let bomb = try ContentCoding.gzip.encode(ContentCoding.gzip.encode(inner))
        let script: ScriptedServer.Script = { connection in
            try connection.readRequest()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            try connection.send(bomb)
            connection.waitForClose()
        }
        try await withServer(script) { server, session in
            var request = try server.request()
            request.acceptsCompression = true
            let outcome = await session.perform(request, receiver: CountingReceiver(limit: 1 << 20))
            #expect(outcome.error?.code == .badContentEncoding)
            #expect(outcome.error?.message.contains("stand for nothing") == true)
        }
    }
}
