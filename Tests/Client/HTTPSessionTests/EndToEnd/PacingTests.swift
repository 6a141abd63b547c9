import ErrandSupport
import HTTPSession
import Testing

@Suite("The rate limit of a session over libcurl", .timeLimit(.hang))
struct PacingTests {
    @Test("A download is complete, and no faster than its session may receive")
    func download() async throws {
        let content = String(repeating: "0123456789abcdef", count: 16 << 10)
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.respond("200 OK", body: content)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) {
            $0.response.serializer = .raw
            $0.limits.bytesPerSecond = 1 << 20
        }
        let start = ContinuousClock.now
        #expect(try await api.data(for: TaskRequest()).body?.size == 256 << 10)
        let duration = start.duration(to: .now)
        // The bytes of a tenth of a second are received at once, and the last wait is skipped if it is under 5 ms.
        #expect(duration >= .milliseconds(144), "\(duration)")
    }

    @Test("An upload is complete, and no faster than its task may send")
    func upload() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.respond("204 No Content")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.serializer = .raw }
        let content = (0..<(256 << 10)).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let control = AttemptControl()
        control.setBytesPerSecond(1 << 20)
        let prepared = try api.prepare(TaskRequest(method: "PUT", body: .bytes(content)))
        let start = ContinuousClock.now
        #expect(await api.run(prepared, sink: MemorySink(), control: control).error == nil)
        let duration = start.duration(to: .now)
        #expect(await server.requests.first(1).first?.body == content)
        // Neither the initial bytes nor the last piece, of at most 64 KiB, are waited for.
        #expect(duration >= .milliseconds(80), "\(duration)")
    }

    @Test("A transfer that waits because of its rate can be canceled at once")
    func cancellation() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while true { try connection.send(String(repeating: " ", count: 4096)) }
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.serializer = .raw }
        let control = AttemptControl()
        control.setBytesPerSecond(1)
        let prepared = try api.prepare(TaskRequest())
        let begun = Signal<Void>()
        let sink = SignalingSink(begun)
        let outcome = Task { await api.run(prepared, sink: sink, control: control) }
        await begun.wait()
        control.cancel()
        #expect(await outcome.value.error?.code == .canceled)
        #expect(await server.ended.first(1) == [0])
    }
}

/// A sink that discards content and signals its arrival.
private final class SignalingSink: BodySink {
    private let begun: Signal<Void>

    init(_ begun: Signal<Void>) { self.begun = begun }

    func begin(resume: @escaping @Sendable () -> Void) {}

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        begun.send()
        return .more
    }

    func finish() async throws(TransferError) -> ReceivedBody { .empty }

    func discard() async {}
}
