import CurlEngine
import Support
import Testing
import Transfer

@Suite("CurlEngine: HTTP/2", .timeLimit(.minutes(5)), .enabled(if: NginxServer.isInstalled))
struct HTTP2Tests {
    @Test("many transfers share one connection")
    func shared() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(server.options) { session in
            let request = try server.request("/")
            let outcomes = await withTaskGroup(of: TransferOutcome.self) { group in
                for _ in 0..<50 { group.addTask { await session.perform(request).outcome } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.compactMap(\.error) == [])
            #expect(outcomes.allSatisfy { $0.head?.version == "2" })
            #expect(outcomes.allSatisfy { $0.metrics.httpVersion == "2" })
            #expect(outcomes.filter { !$0.metrics.connectionReused }.count == 1)
            #expect(session.counts.openConnections == 1)
        }
    }

    @Test("speaks HTTP/2 without TLS too, at once and one after another")
    func cleartext() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(server.options) { session in
            let (clear, secure) = (try server.cleartextRequest("/"), try server.request("/"))
            for _ in 0..<5 {
                async let one = session.perform(clear)
                async let other = session.perform(secure)
                for (outcome, text) in await [one, other] {
                    #expect(outcome.error == nil)
                    #expect(outcome.head?.version == "2")
                    #expect(text == "hello")
                }
            }
        }
    }

    @Test("a cancel ends its own stream and leaves the connection to the others")
    func cancelled() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(server.options) { session in
            let (slow, fast) = (try server.request("/slow"), try server.request("/"))
            let first = RecordingReceiver()
            let second = RecordingReceiver()
            let cancelled = Task { await session.perform(slow, receiver: first) }
            let other = Task { await session.perform(slow, receiver: second) }
            _ = await (first.pieces.first(1), second.pieces.first(1))
            cancelled.cancel()
            #expect(await cancelled.value.error == .canceled)
            let (outcome, text) = await session.perform(fast)
            #expect(text == "hello")
            #expect(outcome.metrics.connectionReused)
            #expect(session.counts.openConnections == 1)
            other.cancel()
            #expect(await other.value.error == .canceled)
        }
    }

    @Test("a stream that waits for its receiver or is suspended does not hold up the others")
    func waiting() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(server.options) { session in
            let (slow, fast) = (try server.request("/slow"), try server.request("/"))
            let (full, held) = (RecordingReceiver(onPiece: { _ in .pause }), RecordingReceiver())
            let tasks = [full, held].map { receiver in Task { await session.perform(slow, receiver: receiver) } }
            _ = await (full.pieces.first(1), held.pieces.first(1))
            await held.control().suspend()
            for _ in 0..<20 { #expect(await session.perform(fast).text == "hello") }
            #expect(full.pieces.events.count == 1)
            await full.control().resumeReceiving()
            await held.control().resume()
            _ = await (full.pieces.first(2), held.pieces.first(2))
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value.error == .canceled) }
        }
    }

    @Test("limits of time end a stream")
    func idle() async throws {
        let server = try await NginxServer.start()
        defer { server.stop() }
        try await withSession(server.options) { session in
            let slow = try server.request("/slow", timeouts: TransferTimeouts(total: .milliseconds(100)))
            #expect(await session.perform(slow).outcome.error?.code == .timedOut)
            #expect(await session.perform(try server.request("/")).text == "hello")
        }
    }
}
