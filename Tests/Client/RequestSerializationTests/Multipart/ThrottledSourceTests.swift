import ErrandLocking
import ErrandRequestSerialization
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("A throttled source", .timeLimit(.hang))
struct ThrottledSourceTests {
    private let clock = ManualClock()

    private func throttled(
        _ content: String, packetBytes: Int = 4, delay: Duration = .milliseconds(200)
    ) -> ThrottledSource {
        throttled(ChainedSource([.bytes(Array(content.utf8))]), packetBytes: packetBytes, delay: delay)
    }

    private func throttled(
        _ source: any BodySource, packetBytes: Int = 4, delay: Duration = .milliseconds(200)
    ) -> ThrottledSource {
        ThrottledSource(source, BandwidthThrottle(packetBytes: packetBytes, delay: delay), clock: clock)
    }

    /// Returns the result of one read: text, or the answer in brackets.
    private func read(_ reader: SourceReader, _ maxBytes: Int = 100) -> String {
        switch reader.read(maxBytes) {
        case (.bytes, let bytes): String(decoding: bytes, as: UTF8.self)
        case (.pause, _): "(pause)"
        case (.end, _): "(end)"
        case (.failed(let error), _): "(\(error))"
        }
    }

    @Test("returns a packet, pauses for the delay, and returns the next")
    func packets() async {
        let source = throttled("0123456789")
        #expect(source.length == 10)
        let reader = SourceReader(source)
        reader.begin()
        #expect(read(reader) == "0123")
        #expect(read(reader) == "(pause)")
        #expect(await clock.sleeps.first(1) == [.milliseconds(200)])
        clock.advance(by: .milliseconds(199))
        #expect(read(reader) == "(pause)")
        clock.advance(by: .milliseconds(1))
        await reader.resumed()
        #expect(read(reader) == "4567")
        #expect(read(reader) == "(pause)")
        _ = await clock.sleeps.first(2)
        clock.advance(by: .milliseconds(200))
        await reader.resumed()
        #expect(read(reader) == "89")
        #expect(read(reader) == "(end)")
        #expect(clock.sleeperCount == 0)
    }

    @Test("pauses for a century at the longest, as the system's clock cannot wait for any time")
    func longestDelay() async {
        let source = throttled("0123456789", delay: .seconds(Int64.max))
        let reader = SourceReader(source)
        reader.begin()
        #expect(read(reader) == "0123")
        #expect(read(reader) == "(pause)")
        #expect(await clock.sleeps.first(1) == [.seconds(100 * 366 * 86_400)])
        source.end()
    }

    @Test("counts a packet over several reads")
    func severalReads() async {
        let reader = SourceReader(throttled("0123456789"))
        reader.begin()
        #expect(read(reader, 3) == "012")
        #expect(read(reader, 3) == "3")
        #expect(read(reader, 3) == "(pause)")
    }

    @Test("forwards a pause of its source without counting it")
    func innerPause() async {
        let reader = SourceReader(throttled(PieceSource([Array("01".utf8), Array("2345".utf8)])))
        reader.begin()
        #expect(read(reader) == "(pause)")
        await reader.resumed()
        #expect(read(reader) == "01")
        #expect(read(reader) == "(pause)")
        await reader.resumed()
        #expect(read(reader) == "23")
        #expect(read(reader) == "(pause)")
        #expect(await clock.sleeps.first(1).count == 1)
    }

    @Test("forwards an error of its source")
    func innerError() {
        let source = PieceSource([], length: 1, ending: .failed(TransferError(.cannotWrite, "Broken")))
        let reader = SourceReader(throttled(source))
        reader.begin()
        #expect(read(reader) == "(cannot_write: Broken)")
    }

    @Test("keeps its rate after a rewind")
    func rewind() async {
        let source = throttled("0123456789")
        let reader = SourceReader(source)
        reader.begin()
        #expect(read(reader) == "0123")
        #expect(source.rewind())
        #expect(read(reader) == "(pause)")
        _ = await clock.sleeps.first(1)
        clock.advance(by: .milliseconds(200))
        await reader.resumed()
        #expect(read(reader, 3) == "012")
        #expect(source.rewind())
        #expect(read(reader) == "0")
        #expect(read(reader) == "(pause)")
    }

    @Test("does not resume the transfer after its end, however much time passes")
    func nothingAfterEnd() async {
        let resumes = EventLog<Void>()
        let source = throttled("0123456789")
        source.begin { resumes.append() }
        let reader = SourceReader(source)
        #expect(read(reader) == "0123")
        #expect(read(reader) == "(pause)")
        _ = await clock.sleeps.first(1)
        source.end()
        _ = await clock.cancellations.first(1)
        clock.advance(by: .seconds(1))
        #expect(clock.sleeperCount == 0)
        #expect(resumes.events.isEmpty)
    }

    @Test("starts the next transfer with a new packet")
    func beginsAgain() async {
        let source = throttled("0123456789")
        let reader = SourceReader(source)
        reader.begin()
        #expect(read(reader) == "0123")
        source.end()
        #expect(source.rewind())
        reader.begin()
        #expect(read(reader) == "0123")
        #expect(read(reader) == "(pause)")
    }

    @Test(
        "has no effect without a delay, and returns at least one byte",
        arguments: [(4, Duration.zero, "0123"), (0, .seconds(-1), "0"), (-5, .zero, "0")])
    func limits(packetBytes: Int, delay: Duration, first: String) async throws {
        let source = throttled("0123456789", packetBytes: packetBytes, delay: delay)
        let reader = SourceReader(source)
        reader.begin()
        #expect(read(reader) == first)
        let rest = try await reader.readAll(chunk: 100)
        #expect(first + String(decoding: rest, as: UTF8.self) == "0123456789")
        #expect(clock.sleeps.events.isEmpty)
    }

    @Test("forwards begin and end to its source")
    func passesLifeOn() {
        let log = EventLog<String>()
        let source = throttled(PieceSource([[1]], name: "a", log: log))
        source.begin {}
        _ = source.rewind()
        source.end()
        #expect(log.events == ["begin a", "rewind a", "end a"])
    }

    @Test("keeps the error of a stream in a form for the request")
    func failure() async {
        struct Refusal: Error {}
        let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        input.finish(throwing: Refusal())
        let source = throttled(ChainedSource([.bytes([1]), .source(StreamSource(stream))]))
        #expect(source.failure == nil)
        await #expect(throws: TransferError.self) { try await SourceReader.content(of: source, chunk: 4) }
        #expect(source.failure is Refusal)
    }
}
