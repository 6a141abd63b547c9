import ErrandTransfer
import Testing

@testable import ErrandBodyFiles

@Suite("SpoolIntake")
struct SpoolIntakeTests {
    private static let chunkBytes = 64 * 1024

    private func append(_ count: Int, to intake: inout SpoolIntake) -> (ReceiveDecision, full: [UInt8]?) {
        let bytes = [UInt8](repeating: 7, count: count)
        return intake.append(bytes.span.bytes)
    }

    private func isMore(_ decision: ReceiveDecision) -> Bool {
        if case .more = decision { true } else { false }
    }

    private func isPause(_ decision: ReceiveDecision) -> Bool {
        if case .pause = decision { true } else { false }
    }

    private func stopCode(_ decision: ReceiveDecision) -> TransferError.Code? {
        if case .stop(let error) = decision { error.code } else { nil }
    }

    @Test("Content up to the limit stays in memory")
    func inline() {
        var intake = SpoolIntake(inlineLimitBytes: 100, maxBytes: nil)
        let (decision, full) = append(100, to: &intake)
        #expect(isMore(decision) && full == nil)
        guard case .inMemory(let bytes) = intake.finish() else {
            Issue.record("The content is not in memory")
            return
        }
        #expect(bytes.count == 100)
    }

    @Test("Two full buffers are written, the third pauses the transport, and a written buffer resumes it")
    func backPressure() {
        var intake = SpoolIntake(inlineLimitBytes: 0, maxBytes: nil)
        var full: [[UInt8]] = []
        var pauses = 0
        for _ in 0..<12 {
            let (decision, buffer) = append(Self.chunkBytes, to: &intake)
            if let buffer { full.append(buffer) }
            if isPause(decision) { pauses += 1 }
        }
        #expect(full.map(\.count) == [SpoolIntake.bufferBytes, SpoolIntake.bufferBytes])
        #expect(pauses == 1)
        let (next, mayResume) = intake.takeBack(full[0])
        #expect(next?.count == SpoolIntake.bufferBytes)
        #expect(mayResume)
        let (nothing, again) = intake.takeBack(full[1])
        #expect(nothing == nil && !again)
        guard case .inFile(let rest, let size) = intake.finish() else {
            Issue.record("The content is not in a file")
            return
        }
        #expect(rest.isEmpty)
        #expect(size == 12 * 64 * 1024)
    }

    @Test("A failed write is reported to the next call, and resumes a paused transport")
    func failure() {
        var intake = SpoolIntake(inlineLimitBytes: 0, maxBytes: nil)
        for _ in 0..<12 { _ = append(Self.chunkBytes, to: &intake) }
        let (next, mayResume) = intake.fail(TransferError(.diskFull, "The disk is full"))
        #expect(next == nil && mayResume)
        let afterFailure = append(Self.chunkBytes, to: &intake).0
        #expect(stopCode(afterFailure) == .diskFull)
        guard case .failed(let error) = intake.finish() else {
            Issue.record("The content is unexpectedly complete")
            return
        }
        #expect(error.code == .diskFull)
    }

    @Test("Content beyond the limit is refused, as is all later content")
    func limit() {
        var intake = SpoolIntake(inlineLimitBytes: 1000, maxBytes: 10)
        let within = append(10, to: &intake).0
        #expect(isMore(within))
        let beyond = append(1, to: &intake).0
        #expect(stopCode(beyond) == .bodyTooLarge)
        let later = append(1, to: &intake).0
        #expect(stopCode(later) == .bodyTooLarge)
        #expect(intake.failure?.code == .bodyTooLarge)
    }

    @Test("No content is accepted after the end")
    func ended() {
        var finished = SpoolIntake(inlineLimitBytes: 0, maxBytes: nil)
        _ = append(1, to: &finished)
        _ = finished.finish()
        #expect(finished.isTaking)
        let mayHaveFile = finished.discard()
        #expect(!mayHaveFile)
        let late = append(1, to: &finished).0
        #expect(stopCode(late) == .canceled)
        var discarded = SpoolIntake(inlineLimitBytes: 0, maxBytes: nil)
        _ = append(1, to: &discarded)
        let first = discarded.discard()
        #expect(first && !discarded.isTaking)
        let second = discarded.discard()
        #expect(!second)
        guard case .failed(.canceled) = discarded.finish() else {
            Issue.record("A discarded spool has content")
            return
        }
    }

    @Test("A reader gets each byte from memory or from the file, and waits for those that are being written")
    func reading() {
        var intake = SpoolIntake(inlineLimitBytes: 10, maxBytes: nil)
        #expect(intake.follow() == .memory)
        #expect(intake.read(at: 0, maxBytes: 9) == .later)
        _ = append(10, to: &intake)
        #expect(intake.read(at: 0, maxBytes: 9) == .bytes(Array(repeating: 7, count: 9)))
        #expect(intake.read(at: 9, maxBytes: 9) == .bytes([7]))
        #expect(intake.read(at: 10, maxBytes: 9) == .later)
        let (_, full) = append(SpoolIntake.bufferBytes, to: &intake)
        let written = Int64(full?.count ?? 0)
        #expect(written == Int64(SpoolIntake.bufferBytes) + 10)
        _ = append(5, to: &intake)
        #expect(intake.follow() == .file)
        #expect(intake.read(at: 0, maxBytes: 9) == .later, "it is being written")
        #expect(intake.read(at: written + 3, maxBytes: 9) == .bytes([7, 7]))
        _ = intake.takeBack(full ?? [])
        #expect(intake.read(at: 0, maxBytes: 9) == .file(9))
        #expect(intake.read(at: written - 1, maxBytes: 9) == .file(1))
        #expect(intake.read(at: written, maxBytes: 9) == .bytes(Array(repeating: 7, count: 5)))
        _ = intake.finish()
        #expect(intake.follow() == nil)
        #expect(intake.read(at: written, maxBytes: 9) == .later, "the rest is being written")
        intake.complete(failure: nil)
        #expect(intake.read(at: written, maxBytes: 9) == .file(5))
        #expect(intake.read(at: written + 5, maxBytes: 9) == .end)
    }

    @Test("Content that was finished in memory is kept for its readers only")
    func readingFinished() {
        for isFollowed in [true, false] {
            var intake = SpoolIntake(inlineLimitBytes: 10, maxBytes: nil)
            if isFollowed { #expect(intake.follow() == .memory) }
            _ = append(3, to: &intake)
            _ = intake.finish()
            #expect(intake.read(at: 3, maxBytes: 9) == .later, "its digest is being computed")
            intake.complete(failure: nil)
            if isFollowed { #expect(intake.read(at: 1, maxBytes: 9) == .bytes([7, 7])) }
            #expect(intake.read(at: 3, maxBytes: 9) == .end)
        }
    }
}
