import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
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

    @Test("keeps the field that names the file until its content begins anew, unless it is too long for a record")
    func contentDisposition() {
        var state = DownloadState(machine: DownloadMachine(), maxBytes: nil, contentDisposition: "attachment")
        _ = state.machine.ask(isGet: true)
        _ = state.begin(ResponseHead(status: 503), isAcceptable: false) {}
        #expect(state.contentDisposition == "attachment")
        let long = String(repeating: "a", count: 5000)
        for (field, kept) in [("inline", "inline"), (long, nil)] as [(String, String?)] {
            _ = state.machine.ask(isGet: true)
            let head = ResponseHead(status: 200, headers: [.contentDisposition: field])
            _ = state.begin(head, isAcceptable: true) {}
            #expect(state.contentDisposition == kept)
        }
    }

    // MARK: The connection of the first response is lost

    private static let mebibyte = Int64(1 << 20)
    private let lost = SessionError(.connectionLost, "Lost")

    /// Returns the state of a download of two mebibytes whose first response was lost after some bytes.
    private func divided(_ bytes: Int) -> DownloadState {
        var state = received(bytes)
        _ = state.parts?.firstWasLost(at: state.machine.position)
        return state
    }

    /// Returns the state of a download of two mebibytes whose first response has ended after some bytes.
    private func received(_ bytes: Int) -> DownloadState {
        var state = DownloadState(machine: DownloadMachine(), maxBytes: nil, maxConnections: 2)
        _ = state.machine.ask(isGet: true, atMost: Self.mebibyte)
        let head = ResponseHead(
            status: 206,
            headers: [.eTag: #""v1""#, .contentRange: "bytes 0-\(Self.mebibyte - 1)/\(2 * Self.mebibyte)"])
        let (action, _) = state.begin(head, isAcceptable: true) {}
        #expect(action == .write(from: 0))
        if bytes > 0 {
            _ = state.append([UInt8](repeating: 1, count: bytes).span.bytes, maxMemoryBytes: 0)
            _ = state.didWrite(bytes)
        }
        state.settle()
        return state
    }

    private func receivePart(_ state: inout DownloadState) throws {
        let claimed = state.parts?.claim()
        let part = try #require(claimed)
        _ = state.parts?.received(bytes: part.range.count, of: part.number)
        state.parts?.didWrite(part.range.count, of: part.number)
        _ = state.parts?.end(part.number)
    }

    @Test("is complete if parts have brought what a lost first response lacks", arguments: [0, 1000])
    func firstLost(bytes: Int) throws {
        var state = divided(bytes)
        try receivePart(&state)
        #expect(state.received == Int64(bytes) + Self.mebibyte)
        try receivePart(&state)
        guard case .complete = state.conclude(lost) else {
            Issue.record("the file is complete")
            return
        }
        #expect(state.machine.position == 2 * Self.mebibyte)
    }

    @Test("fails with the loss of the first response if something is missing, and keeps what follows its bytes")
    func firstMissing() throws {
        for bytes in [0, 1000] {
            var state = divided(bytes)
            let claimed = state.parts?.claim()
            let first = try #require(claimed)
            try receivePart(&state)
            _ = state.parts?.end(first.number)
            guard case .none = state.conclude(lost) else {
                Issue.record("the error remains")
                return
            }
            #expect(state.machine.position == Int64(bytes))
            #expect(state.received == (bytes == 0 ? 0 : Self.mebibyte))
        }
    }

    @Test("fails if the first response has more content than it states, behind which other connections write")
    func surplus() throws {
        for stated in [Int64(10), 1000] {
            var state = DownloadState(machine: DownloadMachine(), maxBytes: nil, maxConnections: 2)
            _ = state.machine.ask(isGet: true, atMost: Self.mebibyte)
            let head = ResponseHead(
                status: 206, headers: [.eTag: #""v1""#, .contentRange: "bytes 0-\(stated - 1)/\(2 * Self.mebibyte)"])
            _ = state.begin(head, isAcceptable: true) {}
            let content = [UInt8](repeating: 1, count: Int(stated))
            #expect(!isStop(state.append(content.span.bytes, maxMemoryBytes: 0).0))
            let (decision, piece) = state.append([1].span.bytes, maxMemoryBytes: 0)
            #expect(isStop(decision))
            #expect(piece == nil)
            guard case .failed(let error) = state.conclude(lost) else {
                Issue.record("the content is another one")
                return
            }
            #expect(error.code == .cannotParseResponse)
            #expect(state.dataToResume == nil)
        }
    }

    @Test("divides the content again after parts that were suspended before they brought anything")
    func suspendedParts() throws {
        for (isSuspended, end) in [(true, 2 * Self.mebibyte), (false, nil)] {
            var state = received(Int(Self.mebibyte))
            state.parts?.firstDidEnd(at: Self.mebibyte)
            let claimed = state.parts?.claim()
            let part = try #require(claimed)
            _ = state.parts?.end(part.number)
            state.connections.mayRestart = isSuspended
            guard case .again(let wasLostToSuspension) = state.conclude(nil) else {
                Issue.record("the rest is requested")
                return
            }
            #expect(wasLostToSuspension == isSuspended)
            #expect(state.machine.ask(isGet: true, atMost: Self.mebibyte)?.end == end)
        }
    }

    @Test("begins another attempt after a lost first response if a part was suspended for too long, or changed")
    func firstLostAgain() throws {
        var suspended = divided(1000)
        suspended.connections.mayRestart = true
        guard case .again(wasLostToSuspension: true) = suspended.conclude(lost) else {
            Issue.record("the attempt is repeated")
            return
        }
        var changed = divided(1000)
        let claimed = changed.parts?.claim()
        let part = try #require(claimed)
        _ = changed.parts?.received(ResponseHead(status: 200), of: part.number, isAcceptable: true)
        guard case .again(wasLostToSuspension: false) = changed.conclude(lost) else {
            Issue.record("the content is requested again")
            return
        }
        #expect(changed.machine.position == 0)
    }
}
