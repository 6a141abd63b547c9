import ErrandHTTPServer
import Testing

@testable import ErrandEcho

@Suite("Content of any length")
struct PatternContentTests {
    @Test("is the same from any starting position")
    func positions() {
        let whole = PatternContent.bytes(0..<200_000)
        for range: Range<Int64> in [0..<1, 65_520..<65_522, 1..<131_043, 131_041..<131_043, 199_999..<200_000, 7..<7] {
            #expect(PatternContent.bytes(range) == Array(whole[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
    }

    @Test("differs from part to part, so that a misplaced one is detected")
    func misplacement() {
        let first = PatternContent.bytes(0..<PatternContent.partBytes)
        let second = PatternContent.bytes(PatternContent.partBytes..<2 * PatternContent.partBytes)
        #expect(first != second)
        #expect(Set(first).count == 256)
    }

    @Test("streams from a position far beyond 32 bits")
    func farAway() async throws {
        let positions = (1 << 39) + 5..<(1 << 39) + 100_000 as Range<Int64>
        let stream = PatternContent.stream(positions)
        var content: [UInt8] = []
        while let part = try await stream.next() { content += part }
        #expect(stream.length == 99_995)
        #expect(content == PatternContent.bytes(positions))
    }
}
