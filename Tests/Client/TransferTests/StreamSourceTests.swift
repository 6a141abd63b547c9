import ErrandSupport
import ErrandTransfer
import Testing

@Suite("StreamSource", .timeLimit(.hang))
struct StreamSourceTests {
    private struct Refusal: Error {}

    private static func stream(_ buffers: [[UInt8]]) -> AsyncStream<[UInt8]> {
        let (stream, input) = AsyncStream<[UInt8]>.makeStream()
        for buffer in buffers { input.yield(buffer) }
        input.finish()
        return stream
    }

    @Test("The bytes come in order, whatever the sizes of buffers and reads", arguments: [1, 7, 1000, 200_000])
    func content(chunk: Int) async throws {
        let buffers = [0, 1, 70_000, 0, 3, 2500].map { count in
            (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        }
        let source = StreamSource(Self.stream(buffers))
        #expect(source.length == nil)
        #expect(try await SourceReader.content(of: source, chunk: chunk) == Array(buffers.joined()))
        #expect(source.failure == nil)
    }

    @Test("It is spent once a transfer has got bytes, and not before")
    func spent() async throws {
        let source = StreamSource(Self.stream([[1, 2]]))
        let reader = SourceReader(source)
        reader.begin()
        source.end()
        #expect(!source.isSpent)
        reader.begin()
        #expect(try await reader.readAll(chunk: 1, limit: 1) == [1])
        #expect(source.isSpent)
        source.end()
        #expect(source.isSpent)
    }

    @Test("The sequence is not read before the transfer asks for content, and no further than the buffer's limit")
    func backPressure() async throws {
        let buffers = CountedBuffers(count: 4, bytes: 65_536)
        let source = StreamSource(buffers)
        let reader = SourceReader(source)
        reader.begin()
        #expect(buffers.asked.events.isEmpty)
        #expect(try await reader.readAll(chunk: 1000, limit: 1000).count == 1000)
        // There is room now, so another buffer is asked for; then there is none.
        _ = await buffers.asked.first(2)
        #expect(try await reader.readAll(chunk: 10_000, limit: 4000).count == 4000)
        #expect(buffers.asked.events.count == 2)
        #expect(try await reader.readAll(chunk: 10_000).count == 4 * 65_536 - 5000)
        #expect(buffers.asked.events.count == 5)
        source.end()
    }

    @Test("The end of the transfer cancels the task that waits for the sequence")
    func cancellation() async throws {
        let buffers = CountedBuffers(count: 1, bytes: 10, blocks: true)
        let source = StreamSource(buffers)
        let reader = SourceReader(source)
        reader.begin()
        #expect(try await reader.readAll(chunk: 10, limit: 10).count == 10)
        _ = await buffers.asked.first(2)
        source.end()
        await buffers.canceled.wait()
        await buffers.ended.wait()
        #expect(source.failure == nil)
    }

    @Test("The end of the transfer ends the task that waits for room")
    func endWithoutRoom() async throws {
        let buffers = CountedBuffers(count: 4, bytes: 100_000)
        let source = StreamSource(buffers)
        let reader = SourceReader(source)
        reader.begin()
        #expect(try await reader.readAll(chunk: 10, limit: 10).count == 10)
        source.end()
        await buffers.ended.wait()
        #expect(buffers.asked.events.count == 1)
        #expect(!source.rewind())
    }

    @Test("An error of the sequence comes after its bytes, and is kept for the request")
    func failure() async throws {
        let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        input.yield([1, 2, 3])
        input.finish(throwing: Refusal())
        let source = StreamSource(stream)
        let reader = SourceReader(source)
        reader.begin()
        #expect(try await reader.readAll(chunk: 10, limit: 3) == [1, 2, 3])
        #expect(source.failure == nil)
        await #expect(
            throws: TransferError(.transportError, "The stream of the request content has failed")
        ) { try await reader.readAll(chunk: 10) }
        #expect(source.failure is Refusal)
        source.end()
    }

    @Test("A buffer beyond the declared length is an error")
    func tooLong() async throws {
        let source = StreamSource(Self.stream([[1, 2], [3, 4]]), length: 3)
        #expect(source.length == 3)
        let expected = TransferError(
            .transportError, "The stream of the request content is longer than its declared length")
        await #expect(throws: expected) { try await SourceReader.content(of: source) }
    }

    @Test("The content can be read again only if nothing was read before")
    func rewind() async throws {
        let source = StreamSource(Self.stream([[1, 2], [3]]))
        let reader = SourceReader(source)
        // A connection that failed before the content was wanted.
        reader.begin()
        source.end()
        #expect(source.rewind())
        reader.begin()
        #expect(try await reader.readAll(chunk: 10) == [1, 2, 3])
        #expect(!source.rewind())
        source.end()
        reader.begin()
        await #expect(
            throws: TransferError(
                .bodyStreamExhausted, "The stream of the request content cannot be read a second time")
        ) { try await reader.readAll(chunk: 10) }
    }
}

extension StreamSourceTests {
    /// Returns a source from which a transfer has begun to read, without getting anything.
    private static func pausedSource(of buffers: CountedBuffers) -> StreamSource {
        let source = StreamSource(buffers)
        let reader = SourceReader(source)
        reader.begin()
        let (answer, bytes) = reader.read(8)
        #expect(bytes.isEmpty)
        guard case .pause = answer else {
            Issue.record("The first read begins the work of another task")
            return source
        }
        return source
    }

    @Test("A transfer that has got nothing leaves all bytes to the next one", arguments: [false, true])
    func untouched(isProvided: Bool) async throws {
        let buffers = CountedBuffers(count: 3, bytes: 40_000)
        let source = Self.pausedSource(of: buffers)
        if isProvided { _ = await buffers.asked.first(2) }
        source.end()
        #expect(!source.isSpent)
        #expect(source.rewind())
        #expect(try await SourceReader.content(of: source).count == 120_000)
        #expect(source.isSpent)
        #expect(buffers.asked.events.count == 4)
    }

    @Test("A transfer that has got nothing leaves the error of the sequence to the next one, which is told once")
    func untouchedFailure() async throws {
        let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let source = StreamSource(stream)
        let reader = SourceReader(source)
        reader.begin()
        _ = reader.read(8)
        source.end()
        input.finish(throwing: Refusal())
        #expect(source.rewind())
        reader.begin()
        let error = await #expect(throws: TransferError.self) { try await reader.readAll(chunk: 10) }
        #expect(error?.code == .transportError)
        #expect(source.failure is Refusal)
        #expect(!source.rewind())
        source.end()
    }

    @Test("A source of which nothing was read stops reading ahead when it is abandoned, or released")
    func abandoned() async {
        for isReleased in [false, true] {
            let buffers = CountedBuffers(count: 1, bytes: 10, blocks: true)
            var source: StreamSource? = Self.pausedSource(of: buffers)
            _ = await buffers.asked.first(2)
            source?.end()
            #expect(source?.rewind() == true)
            if isReleased { source = nil } else { source?.abandon() }
            await buffers.canceled.wait()
            await buffers.ended.wait()
            #expect(source?.isSpent != false)
        }
    }

    @Test("A transfer still gets everything of a source that is abandoned meanwhile")
    func abandonedWhileRead() async throws {
        let source = StreamSource(Self.stream([[1, 2], [3]]))
        let reader = SourceReader(source)
        reader.begin()
        source.abandon()
        #expect(try await reader.readAll(chunk: 10) == [1, 2, 3])
        source.end()
        let buffers = CountedBuffers(count: 0, bytes: 0, blocks: true)
        let unread = Self.pausedSource(of: buffers)
        _ = await buffers.asked.first(1)
        unread.abandon()
        #expect(!buffers.canceled.isSent)
        unread.end()
        await buffers.canceled.wait()
    }
}

/// A sequence of equal buffers that logs when it is asked for the next one.
private struct CountedBuffers: AsyncSequence, Sendable {
    let count: Int
    let bytes: Int
    /// True to wait for the cancellation of the reading task after the last buffer.
    var blocks = false
    /// The number of the buffer that was asked for, from 0.
    let asked = EventLog<Int>()
    /// The cancellation of the reading task.
    let canceled = Signal<Void>()
    /// The end of the reading task.
    let ended = Signal<Void>()

    struct AsyncIterator: AsyncIteratorProtocol {
        let buffers: CountedBuffers
        let life: ReleaseSignal
        var number = 0

        mutating func next() async -> [UInt8]? {
            buffers.asked.append(number)
            guard number < buffers.count else {
                if buffers.blocks { await buffers.waitForCancellation() }
                return nil
            }
            number += 1
            return [UInt8](repeating: 0, count: buffers.bytes)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffers: self, life: ReleaseSignal(ended))
    }

    private func waitForCancellation() async {
        await withTaskCancellationHandler {
            await canceled.wait()
        } onCancel: {
            canceled.send()
        }
    }
}
