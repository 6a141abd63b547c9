import ErrandSupport
import ErrandTransfer
import Testing

@Suite("MemorySource")
struct MemorySourceTests {
    @Test("The bytes come in pieces as large as the buffer, and again after a rewind", arguments: [0, 1, 1000, 2500])
    func content(count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let source = MemorySource(bytes)
        #expect(source.length == Int64(count))
        #expect(try await SourceReader.content(of: source) == bytes)
        #expect(SourceReader(source).read(1).bytes.isEmpty)
        #expect(source.rewind())
        #expect(try await SourceReader.content(of: source, chunk: 7) == bytes)
    }
}
