package import ErrandTransfer

/// A transport without a network that plays a script for each transfer.
///
/// ```swift
/// let transport = ScriptedTransport([.head(ResponseHead(status: 200)), .bytes(Array("[]".utf8))])
/// ```
package final class ScriptedTransport: Transport {
    /// A step of a transfer.
    ///
    /// After the last step the transfer succeeds.
    package enum Step: Sendable {
        /// Receives a final response head.
        case head(ResponseHead)
        /// Receives content in one piece.
        case bytes([UInt8])
        /// Takes all of the request's content, and logs it.
        case take(any BodySource, into: EventLog<[UInt8]>)
        /// Waits until the gate is open or the transfer is canceled.
        case wait(Gate)
        /// Waits until the gate is open, and ends the transfer with success, even if it is canceled before.
        case end(Gate)
        /// Sets the metrics so far.
        case measure(TransferMetrics)
        /// Fails the transfer.
        case fail(TransferError)
    }

    private let script: @Sendable (TransferRequest) -> [Step]
    private let connecting: @Sendable (HTTPURL) -> TransferError?
    private let performed = EventLog<TransferRequest>()

    /// Creates a transport that plays the script returned for each request.
    ///
    /// - Parameter connecting: The error of a mere connection; `nil` for success.
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

    /// The requests so far, in order.
    package var requests: [TransferRequest] {
        performed.events
    }

    /// Waits until so many requests have begun, and returns them.
    package func requests(_ count: Int) async -> [TransferRequest] {
        await performed.first(count)
    }

    /// Plays the script.
    package func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        performed.append(request)
        let control = ScriptedControl()
        // The control can cancel this task.
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
        let endsAnyway = script.contains { if case .end = $0 { true } else { false } }
        receiver.transferDidStart(control)
        for step in script {
            await control.untilResumed()
            if case .end(let gate) = step {
                await Task { await gate.wait() }.value
                break
            }
            if endsAnyway || !Task.isCancelled {
                outcome.error = await play(step, to: receiver, control, &outcome)
            }
            if outcome.error == nil, Task.isCancelled, !endsAnyway { outcome.error = .canceled }
            if outcome.error != nil { break }
        }
        return outcome
    }

    /// Returns the error that the test has set.
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
        case .take(let source, let log):
            do throws(TransferError) {
                log.append(try await SourceReader.content(of: source))
            } catch {
                return error
            }
        case .wait(let gate), .end(let gate):
            await gate.wait()
        case .measure(let metrics):
            outcome.metrics = metrics
        case .fail(let error):
            return error
        }
        return nil
    }
}

extension ScriptedTransport {
    /// A point at which one transfer waits until a test releases it.
    package final class Gate: Sendable {
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

        /// Creates a closed gate.
        package init() {}

        /// Resumes the transfer, now or when it arrives.
        package func open() {
            continuation.finish()
        }

        /// Waits until the gate is open or the calling task is canceled.
        func wait() async {
            for await _ in stream {}
        }
    }
}
