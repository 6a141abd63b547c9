import ErrandTransfer
import Testing

@testable import ErrandDownloads

@Suite("The buffer of a download")
struct ContentBufferTests {
    private let piece = [UInt8](repeating: 1, count: ContentBuffer.pieceBytes)
    private let pair: [UInt8] = [1, 2]

    private func isPause(_ decision: ReceiveDecision) -> Bool {
        if case .pause = decision { true } else { false }
    }

    @Test("gives a full piece to be written, and pauses when the next one is full")
    func pause() {
        var buffer = ContentBuffer()
        let short = buffer.append(pair.span.bytes)
        #expect(!isPause(short.0))
        #expect(short.piece == nil)
        let full = buffer.append(piece.span.bytes)
        #expect(!isPause(full.0))
        #expect(full.piece == pair + piece)
        let next = buffer.append(piece.span.bytes)
        #expect(isPause(next.0))
        #expect(next.piece == nil)
        #expect(buffer.didWrite() == piece)
        #expect(buffer.didWrite() == nil)
        let again = buffer.append(piece.span.bytes)
        #expect(again.piece == piece)
    }

    @Test("gives the rest at the end")
    func rest() {
        var buffer = ContentBuffer()
        _ = buffer.append(pair.span.bytes)
        #expect(buffer.takeRest() == pair)
        let nothing = buffer.takeRest()
        #expect(nothing.isEmpty)
    }

    @Test("drops its bytes, and tells whether the transfer was paused")
    func drop() {
        var buffer = ContentBuffer()
        _ = buffer.append(piece.span.bytes)
        let wasRunning = buffer.drop()
        #expect(!wasRunning)
        _ = buffer.append(piece.span.bytes)
        _ = buffer.append(piece.span.bytes)
        let wasPaused = buffer.drop()
        #expect(wasPaused)
        let rest = buffer.takeRest()
        #expect(rest.isEmpty)
    }
}
