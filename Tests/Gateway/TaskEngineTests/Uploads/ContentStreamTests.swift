import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import Testing

@testable import ErrandTaskEngine

@Suite("ContentStream", .timeLimit(.hang))
struct ContentStreamTests {
    private static func parts(_ parts: [String], isOpen: Bool = false) -> AsyncStream<[UInt8]> {
        let (stream, input) = AsyncStream<[UInt8]>.makeStream()
        for part in parts { input.yield(Array(part.utf8)) }
        if !isOpen { input.finish() }
        return stream
    }

    @Test("Is taken when the last of the announced bytes is, whether or not the client has ended")
    func length() async throws {
        let stream = ContentStream(Self.parts(["hel", "lo"], isOpen: true), length: 5, maxBytes: nil)
        let reader = SourceReader(stream)
        reader.begin()
        #expect(!stream.isSpent)
        #expect(try await reader.readAll(chunk: 2, limit: 4) == Array("hell".utf8))
        #expect(stream.isSpent)
        #expect(!stream.isTaken)
        #expect(stream.passedOn == .passedOn(size: 4, isComplete: false))
        #expect(!stream.rewind())
        #expect(try await reader.readAll(chunk: 2, limit: 1) == Array("o".utf8))
        #expect(stream.isTaken)
        #expect(stream.passedOn == .passedOn(size: 5, isComplete: true))
        for await _ in stream.taken {}
        stream.end()
        #expect(stream.isSpent)
    }

    @Test("Is taken at its end if no length was announced")
    func end() async throws {
        let stream = ContentStream(Self.parts(["hel", "lo"]), length: nil, maxBytes: 5)
        let reader = SourceReader(stream)
        reader.begin()
        #expect(try await reader.readAll(chunk: 5, limit: 5) == Array("hello".utf8))
        #expect(!stream.isTaken)
        #expect(try await reader.readAll(chunk: 5).isEmpty)
        #expect(stream.isTaken)
        for await _ in stream.taken {}
        stream.end()
    }

    @Test("Fails beyond its size limit, and says so")
    func limit() async {
        let stream = ContentStream(Self.parts(["hel", "lo"]), length: nil, maxBytes: 4)
        await #expect(throws: TransferError.self) { try await SourceReader.content(of: stream) }
        #expect((stream.failure as? ContentStream.TooLarge)?.maxBytes == 4)
        #expect("\(stream.failure ?? CancellationError())".contains("larger than 4 bytes (server.max_content)"))
        #expect(!stream.isTaken)
    }

    @Test("Can be read by another transfer if the first one has taken nothing")
    func untouched() async throws {
        let stream = ContentStream(Self.parts(["hello"]), length: 5, maxBytes: nil)
        stream.begin {}
        stream.end()
        #expect(!stream.isSpent)
        #expect(try await SourceReader.content(of: stream) == Array("hello".utf8))
    }
}
