import ErrandSessionCore
import ErrandTransfer
import Testing

@Suite("A sink in memory")
struct MemorySinkTests {
    @Test("returns its content in order")
    func collects() async throws {
        let sink = MemorySink()
        sink.begin {}
        for piece in [[1, 2], [], [3]] as [[UInt8]] {
            guard case .more = sink.append(piece.span.bytes) else {
                Issue.record("There is always room")
                return
            }
        }
        let body = try await sink.finish()
        #expect(body.size == 3)
        guard case .bytes(let bytes) = body.content else {
            Issue.record("The content is in memory")
            return
        }
        #expect(bytes == [1, 2, 3])
    }

    @Test("is empty after a discard")
    func discards() async throws {
        let sink = MemorySink()
        _ = sink.append([1 as UInt8].span.bytes)
        await sink.discard()
        #expect(try await sink.finish().size == 0)
    }
}
