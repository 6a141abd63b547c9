import Locking
package import Transfer

/// A transport that plays what a test has written for it, one script a transfer, without a network.
///
/// ```swift
/// let transport = ScriptedTransport([.head(ResponseHead(status: 200)), .bytes(Array("[]".utf8))])
/// ```
package final class ScriptedTransport: Transport {
    /// What happens next in a transfer.
    ///
    /// After the last step the transfer ends well.
    package enum Step: Sendable {
        /// A final response head comes.
        case head(ResponseHead)
        /// Content comes, in one piece.
        case bytes([UInt8])
        /// Nothing happens until the hold is released or the transfer is cancelled.
        case wait(Hold)
        /// The transfer fails.
        case fail(TransferError)
    }

    private let script: @Sendable (TransferRequest) -> [Step]
    private let performed = Mutex<[TransferRequest]>([])

    /// Creates a transport that plays what `script` answers to a request.
    package init(_ script: @escaping @Sendable (TransferRequest) -> [Step]) {
        self.script = script
    }

    /// Creates a transport that plays the same steps for every request.
    package convenience init(_ steps: [Step]) {
        self.init { _ in steps }
    }

    /// The requests so far, in the order they were made.
    package var requests: [TransferRequest] {
        performed.withLock { $0 }
    }

    /// Plays the script.
    package func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        performed.withLock { $0.append(request) }
        let control = ScriptedControl()
        var outcome = TransferOutcome()
        receiver.transferDidStart(control)
        for step in script(request) {
            outcome.error = await play(step, to: receiver, control, &outcome.head)
            if outcome.error == nil, Task.isCancelled { outcome.error = .canceled }
            if outcome.error != nil { break }
        }
        return outcome
    }

    private func play(
        _ step: Step, to receiver: any TransferReceiver, _ control: ScriptedControl, _ head: inout ResponseHead?
    ) async -> TransferError? {
        switch step {
        case .head(let received):
            head = received
            if case .stop(let error) = receiver.transferDidReceive(received) { return error }
        case .bytes(let bytes):
            switch receiver.transferDidReceive(bytes.span.bytes) {
            case .more: break
            case .pause: await control.resumed()
            case .stop(let error): return error
            }
        case .wait(let hold):
            await hold.wait()
        case .fail(let error):
            return error
        }
        return nil
    }
}

extension ScriptedTransport {
    /// Where a transfer stands still until a test lets it go on.
    ///
    /// For one transfer.
    package final class Hold: Sendable {
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

        /// Creates a hold.
        package init() {}

        /// Lets the transfer go on, now or when it comes.
        package func release() {
            continuation.finish()
        }

        /// Returns when the hold is released or the calling task is cancelled.
        func wait() async {
            for await _ in stream {}
        }
    }
}

/// The control of a scripted transfer, which counts what is asked of it.
final class ScriptedControl: TransferControl {
    private let (resumes, continuation) = AsyncStream.makeStream(of: Void.self)

    func resumeReceiving() { continuation.yield() }
    func resumeSending() {}
    func suspend() {}
    func resume() {}
    var progress: TransferProgress { TransferProgress() }

    /// Returns when the receiver has room again or the calling task is cancelled.
    func resumed() async {
        for await _ in resumes { return }
    }
}
