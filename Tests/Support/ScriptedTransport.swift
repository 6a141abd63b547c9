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
        /// This was measured so far.
        case measure(TransferMetrics)
        /// The transfer fails.
        case fail(TransferError)
    }

    private let script: @Sendable (TransferRequest) -> [Step]
    private let connecting: @Sendable (HTTPURL) -> TransferError?
    private let performed = Mutex<[TransferRequest]>([])

    /// Creates a transport that plays what `script` answers to a request.
    ///
    /// - Parameter connecting: Why a mere connection cannot be made; `nil` when it can.
    package init(
        connecting: @escaping @Sendable (HTTPURL) -> TransferError? = { _ in nil },
        _ script: @escaping @Sendable (TransferRequest) -> [Step]
    ) {
        self.script = script
        self.connecting = connecting
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
        // A task of its own, which the control can cancel.
        let work = Task { await play(script(request), to: receiver, control) }
        control.onCancel { work.cancel() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    private func play(
        _ script: [Step], to receiver: any TransferReceiver, _ control: ScriptedControl
    ) async -> TransferOutcome {
        var outcome = TransferOutcome()
        receiver.transferDidStart(control)
        for step in script {
            await control.untilResumed()
            if !Task.isCancelled { outcome.error = await play(step, to: receiver, control, &outcome) }
            if outcome.error == nil, Task.isCancelled { outcome.error = .canceled }
            if outcome.error != nil { break }
        }
        return outcome
    }

    /// Answers as the test has said.
    package func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? {
        Task.isCancelled ? .canceled : connecting(url)
    }

    private func play(
        _ step: Step, to receiver: any TransferReceiver, _ control: ScriptedControl, _ outcome: inout TransferOutcome
    ) async -> TransferError? {
        switch step {
        case .head(let received):
            outcome.head = received
            if case .stop(let error) = receiver.transferDidReceive(received) { return error }
        case .bytes(let bytes):
            control.didReceive(bytes: bytes.count)
            switch receiver.transferDidReceive(bytes.span.bytes) {
            case .more: break
            case .pause: await control.resumed()
            case .stop(let error): return error
            }
        case .wait(let hold):
            await hold.wait()
        case .measure(let metrics):
            outcome.metrics = metrics
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
