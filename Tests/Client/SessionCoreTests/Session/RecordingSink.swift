import ErrandLocking
import ErrandSupport
import ErrandTransfer

/// A sink that counts its calls and answers as configured by a test.
final class RecordingSink: BodySink {
    struct Record: Equatable {
        var begun = 0
        var pieces: [[UInt8]] = []
        var finished = 0
        var discarded = 0
    }

    private struct State {
        var record = Record()
        var resume: (@Sendable () -> Void)?
    }

    /// The number of discards.
    let givenUp = Signal<Void>()
    private let state = Mutex(State())
    private let pausing: Bool
    private let failure: TransferError?

    /// - Parameters:
    ///   - pausing: True to answer each piece with a pause, which another task ends.
    ///   - failure: The error that `finish` throws.
    init(pausing: Bool = false, failure: TransferError? = nil) {
        self.pausing = pausing
        self.failure = failure
    }

    var record: Record { state.withLock { $0.record } }

    func begin(resume: @escaping @Sendable () -> Void) {
        state.withLock {
            $0.record.begun += 1
            $0.resume = resume
        }
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        let piece = bytes.withUnsafeBytes { Array($0) }
        let resume = state.withLock {
            $0.record.pieces.append(piece)
            return $0.resume
        }
        guard pausing else { return .more }
        Task { resume?() }
        return .pause
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        let bytes = state.withLock {
            $0.record.finished += 1
            return $0.record.pieces.flatMap(\.self)
        }
        if let failure { throw failure }
        return ReceivedBody(size: Int64(bytes.count), content: .bytes(bytes))
    }

    func discard() async {
        state.withLock { $0.record.discarded += 1 }
        givenUp.send()
    }
}
