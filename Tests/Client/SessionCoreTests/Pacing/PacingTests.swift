import ErrandLocking
import ErrandResponseSerialization
import ErrandSupport
import ErrandTime
import ErrandTransfer
import Testing

@testable import ErrandSessionCore

@Suite("The rate limits of transfers", .timeLimit(.hang))
struct PacingTests {
    private var configuration: SessionConfiguration
    private let clock = ManualClock()

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        configuration.suspendedKeep = nil
    }

    /// A session whose responses come in pieces of 16 KiB.
    private func session(pieces: Int, continuing former: Session? = nil) -> Session {
        let piece = ScriptedTransport.Step.bytes([UInt8](repeating: 7, count: 16 << 10))
        let script = [.head(ResponseHead(status: 200))] + [ScriptedTransport.Step](repeating: piece, count: pieces)
        return Session(configuration, transport: ScriptedTransport(script), continuing: former, clock: clock)
    }

    /// A download in pieces of 16 KiB.
    private func start(pieces: Int, _ control: AttemptControl = AttemptControl()) throws -> Task<SessionOutcome, Never>
    {
        let session = session(pieces: pieces)
        let prepared = try session.prepare(TaskRequest())
        return Task { await session.run(prepared, sink: MemorySink(), control: control) }
    }

    /// Advances the clock a number of times, whenever a task sleeps.
    private func pass(waits: Int, from first: Int = 0) async {
        for count in (first + 1)...(first + waits) {
            guard let wait = await clock.sleeps.first(count).last else { return }
            clock.advance(by: wait)
        }
    }

    @Test("A download of 1 MiB at a session's 100 KiB a second takes ten and a quarter seconds")
    func download() async throws {
        var paced = self
        paced.configuration.limits.bytesPerSecond = 100 << 10
        let outcome = try paced.start(pieces: 64)
        await pass(waits: 64)
        #expect(try await outcome.value.success.body?.size == 1 << 20)
        let seconds = clock.now.offset / .seconds(1)
        #expect(abs(seconds - 10.24) < 0.05 * 10.24, "\(seconds)")
        #expect(clock.sleeperCount == 0)
    }

    @Test("A task's own rate applies together with its session's: the slower of both counts")
    func ownPace() async throws {
        var paced = self
        paced.configuration.limits.bytesPerSecond = 1 << 30
        let control = AttemptControl()
        control.setBytesPerSecond(16 << 10)
        let outcome = try paced.start(pieces: 8, control)
        await pass(waits: 8)
        #expect(await outcome.value.error == nil)
        let seconds = clock.now.offset / .seconds(1)
        #expect(abs(seconds - 7.9) < 0.05, "\(seconds)")
    }

    @Test("The requests of an attempt share its rate")
    func furtherRequests() async throws {
        let session = session(pieces: 8)
        let prepared = try session.prepare(TaskRequest())
        let (control, other) = (AttemptControl(), AttemptControl())
        control.attach(other)
        control.setBytesPerSecond(32 << 10)
        let attempt = RunningAttempt(in: session, control: control)
        let outcome = Task { await attempt.run(prepared, sink: MemorySink(), control: AttemptControl()) }
        await pass(waits: 8)
        #expect(await outcome.value.error == nil)
        let seconds = clock.now.offset / .seconds(1)
        #expect(abs(seconds - 7.9) < 0.05, "\(seconds)")
    }

    @Test("A rate that is set before the attempt begins counts from its beginning, by the session's clock")
    func setBefore() async throws {
        let session = session(pieces: 8)
        let prepared = try session.prepare(TaskRequest())
        let created = ContinuousClock.now
        // The session's clock stands still while that of the system goes on.
        try await until { created.duration(to: .now) >= PacingMachine.shortestWait * 2 }
        let control = AttemptControl()
        control.setBytesPerSecond(16 << 10)
        let outcome = Task { await session.run(prepared, sink: MemorySink(), control: control) }
        await pass(waits: 8)
        #expect(await outcome.value.error == nil)
        #expect(clock.sleeps.events.count == 8)
    }

    @Test("The requests of an attempt, one after the other, owe what the earlier ones have received too fast")
    func oneAfterTheOther() async throws {
        let session = session(pieces: 1)
        let prepared = try session.prepare(TaskRequest())
        let control = AttemptControl()
        control.setBytesPerSecond(16 << 10)
        let outcome = Task {
            for _ in 0..<2 { _ = await session.run(prepared, sink: MemorySink(), control: control) }
        }
        // Each response is one piece, which is waited for before its end.
        await pass(waits: 2)
        await outcome.value
        let seconds = clock.now.offset / .seconds(1)
        #expect(abs(seconds - 1.9) < 0.05, "\(seconds)")
    }

    @Test("A task whose rate limit is removed waits no longer, and leaves no timer")
    func resumed() async throws {
        let control = AttemptControl()
        control.setBytesPerSecond(1024)
        let outcome = try start(pieces: 100, control)
        _ = await clock.sleeps.first(1)
        control.setBytesPerSecond(nil)
        #expect(await outcome.value.error == nil)
        #expect(clock.now.offset == .zero)
        _ = await clock.cancellations.first(1)
        #expect(clock.sleeperCount == 0)
    }

    @Test("Transfers under way follow the rate of the session that continues theirs, also to and from no limit")
    func continued() async throws {
        var paced = self
        paced.configuration.limits.bytesPerSecond = 1024
        let session = paced.session(pieces: 100)
        let prepared = try session.prepare(TaskRequest())
        let outcome = Task { await session.run(prepared, sink: MemorySink()) }
        _ = await clock.sleeps.first(1)
        let unlimited = self.session(pieces: 1, continuing: session)
        clock.advance(by: PacingMachine.longestTimer)
        #expect(await outcome.value.error == nil)
        #expect(clock.now.offset == PacingMachine.longestTimer)
        #expect(clock.sleeperCount == 0)
        _ = paced.session(pieces: 1, continuing: unlimited)
        let request = try unlimited.prepare(TaskRequest())
        let late = Task { await unlimited.run(request, sink: MemorySink()) }
        #expect(await clock.sleeps.first(2).last == PacingMachine.longestTimer)
        late.cancel()
        #expect(await late.value.error?.code == .canceled)
    }

    @Test("A suspended transfer leaves no timer, and waits for the rest when resumed")
    func suspension() async throws {
        let control = AttemptControl()
        control.setBytesPerSecond(16 << 10)
        let outcome = try start(pieces: 1, control)
        guard let wait = await clock.sleeps.first(1).last else { return }
        control.suspend()
        _ = await clock.cancellations.first(1)
        #expect(clock.sleeperCount == 0)
        clock.advance(by: .milliseconds(300))
        control.resume()
        #expect(await clock.sleeps.first(2).last == wait - .milliseconds(300))
        clock.advance(by: wait)
        #expect(await outcome.value.error == nil)
    }

    @Test("A canceled transfer leaves no timer")
    func cancellation() async throws {
        let control = AttemptControl()
        control.setBytesPerSecond(1024)
        let outcome = try start(pieces: 10, control)
        _ = await clock.sleeps.first(1)
        control.cancel()
        #expect(await outcome.value.error?.code == .canceled)
        _ = await clock.cancellations.first(1)
        #expect(clock.sleeperCount == 0)
    }

    @Test("Transfers of a session wait for each other's bytes")
    func shared() {
        let now = Mutex(ContinuousClock.now)
        let pace = SharedPace { now.withLock { $0 } }
        pace.spend(600)
        #expect(!pace.isLimited && pace.wait == .zero)
        pace.setBytesPerSecond(1000)
        #expect(pace.isLimited)
        pace.spend(600)
        #expect(pace.wait == .milliseconds(500))
        pace.spend(600)
        #expect(pace.wait == .milliseconds(1100))
        now.withLock { $0 = $0.advanced(by: .seconds(1)) }
        #expect(pace.wait == .milliseconds(100))
        pace.setBytesPerSecond(200)
        #expect(pace.wait == .milliseconds(500), "The excess of 100 bytes still counts")
        pace.setBytesPerSecond(nil)
        #expect(!pace.isLimited && pace.wait == .zero)
    }

    @Test("Both a sink without room and the rate cause a wait")
    func fullSink() async throws {
        var paced = self
        paced.configuration.limits.bytesPerSecond = 16 << 10
        let piece = ScriptedTransport.Step.bytes([UInt8](repeating: 7, count: 16 << 10))
        let session = Session(
            paced.configuration,
            transport: ScriptedTransport([.head(ResponseHead(status: 200)), piece, piece, piece]), clock: clock)
        let prepared = try session.prepare(TaskRequest())
        let sink = RecordingSink(pausing: true)
        let outcome = Task { await session.run(prepared, sink: sink) }
        await pass(waits: 3)
        #expect(await outcome.value.error == nil)
        #expect(sink.record.pieces.count == 3)
    }

    // MARK: Uploads

    /// Reads a source to its end, advancing the clock whenever it waits.
    private func read(_ source: PacedSource) async -> [UInt8] {
        let reader = SourceReader(source)
        reader.begin()
        var content: [UInt8] = []
        var waits = 0
        while true {
            let (answer, bytes) = reader.read(16 << 10)
            content += bytes
            switch answer {
            case .bytes:
                break
            case .pause:
                await pass(waits: 1, from: waits)
                await reader.resumed()
                waits += 1
            case .end, .failed:
                source.end()
                return content
            }
        }
    }

    @Test("An upload of 128 KiB at 16 KiB a second takes eight seconds less its last piece, and is complete")
    func upload() async {
        let direction = PacedDirection()
        direction.configure(SharedPace { .now }, time: MonotonicClock(clock))
        direction.setPace(16 << 10)
        let content = (0..<(128 << 10)).map { UInt8(truncatingIfNeeded: $0) }
        let source = PacedSource(MemorySource(content), direction)
        #expect(source.length == 128 << 10)
        #expect(await read(source) == content)
        let seconds = clock.now.offset / .seconds(1)
        #expect((6.8...8).contains(seconds), "\(seconds)")
        #expect(source.rewind())
        #expect(clock.sleeperCount == 0)
    }
}
