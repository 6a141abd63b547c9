import ErrandSupport
import ErrandTransfer
import Testing

@Suite("A reader of a body source", .timeLimit(.hang))
struct SourceReaderTests {
    /// A source that gives one answer, and never a byte.
    private final class Mute: BodySource {
        let isAsked = Signal<Void>()
        private let answer: SourceAnswer

        init(_ answer: SourceAnswer) {
            self.answer = answer
        }

        var length: Int64? { nil }

        func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
            isAsked.send()
            return answer
        }

        func rewind() -> Bool { false }
    }

    @Test("returns pieces of at most the given size, and nothing at the end")
    func pieces() async throws {
        let reader = SourceReader(MemorySource([1, 2, 3]))
        reader.begin()
        #expect(try await reader.next(2) == [1, 2])
        #expect(try await reader.next(2) == [3])
        #expect(try await reader.next(2) == nil)
    }

    @Test("waits until a source that pauses has bytes")
    func pauses() async throws {
        let (stream, input) = AsyncStream<[UInt8]>.makeStream()
        let reader = SourceReader(StreamSource(stream))
        reader.begin()
        async let piece = reader.next(8)
        input.yield([7])
        #expect(try await piece == [7])
    }

    @Test("ends with its task while it waits")
    func cancellation() async throws {
        let source = Mute(.pause)
        let reader = SourceReader(source)
        let reading = Task { try await reader.next(8) }
        await source.isAsked.wait()
        reading.cancel()
        let result = await reading.result
        #expect(throws: TransferError.canceled) { try result.get() }
    }

    @Test("fails with a source that has neither bytes nor a reason")
    func mute() async throws {
        let error = await #expect(throws: TransferError.self) { try await SourceReader(Mute(.bytes)).next(8) }
        #expect(error?.code == .transportError)
    }

    @Test("fails with the error of its source")
    func failure() async throws {
        let failure = TransferError(.diskFull, "no")
        let error = await #expect(throws: TransferError.self) {
            try await SourceReader(Mute(.failed(failure))).next(8)
        }
        #expect(error == failure)
    }
}
