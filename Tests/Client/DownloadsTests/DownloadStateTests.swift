import ErrandTransfer
import Testing

@testable import ErrandDownloads

@Suite("The state of a download")
struct DownloadStateTests {
    private let piece = [UInt8](repeating: 1, count: ContentBuffer.pieceBytes)

    private func begin(_ state: inout DownloadState) {
        _ = state.machine.ask(isGet: true)
        let (action, failure) = state.begin(ResponseHead(status: 200), isAcceptable: true) {}
        #expect(action == .write(from: 0))
        #expect(failure == nil)
    }

    private func isStop(_ decision: ReceiveDecision) -> Bool {
        if case .stop = decision { true } else { false }
    }

    @Test("writes the next response after one that was too large")
    func tooLarge() {
        var state = DownloadState(machine: DownloadMachine(), maxBytes: Int64(piece.count))
        begin(&state)
        let first = state.append(piece.span.bytes, maxMemoryBytes: 0)
        #expect(first.piece == piece)
        let second = state.append(piece.span.bytes, maxMemoryBytes: 0)
        #expect(isStop(second.0))
        // The first piece was not written, because the response had failed.
        begin(&state)
        let again = state.append(piece.span.bytes, maxMemoryBytes: 0)
        #expect(!isStop(again.0))
        #expect(again.piece == piece)
    }
}
