import ErrandLocking
import ErrandSupport
import ErrandTransfer

/// A transport with one transfer, which ends when canceled or when a test ends it.
///
/// Its control retains the same objects as libcurl's.
final class SpiedTransport: Transport {
    /// An operation on the transfer.
    enum Call: String, Sendable {
        case suspend, resume, cancel
    }

    final class Control: TransferControl {
        /// The operations, each recorded once it was performed.
        let calls = EventLog<Call>()
        /// A closure that runs within ``suspend()``, before the operation is recorded.
        let onSuspend: @Sendable () -> Void
        private let receiver: any TransferReceiver
        private let ending = Signal<TransferError?>()

        init(_ receiver: any TransferReceiver, onSuspend: @escaping @Sendable () -> Void) {
            self.receiver = receiver
            self.onSuspend = onSuspend
        }

        func resumeReceiving() {}
        func resumeSending() {}
        var progress: TransferProgress { TransferProgress() }

        func suspend() {
            onSuspend()
            calls.append(.suspend)
        }

        func resume() { calls.append(.resume) }

        func cancel() {
            calls.append(.cancel)
            ending.send(.canceled)
        }

        func end() { ending.send(nil) }

        fileprivate func perform() async -> TransferOutcome {
            let head = ResponseHead(status: 200)
            receiver.transferDidStart(self)
            _ = receiver.transferDidReceive(head)
            return TransferOutcome(head: head, error: await ending.wait())
        }
    }

    private let onSuspend: @Sendable () -> Void
    private let shared = Mutex<Weak>(Weak())

    private struct Weak {
        weak var control: Control?
    }

    /// - Parameter onSuspend: Runs within the suspension of the transfer, before it is recorded.
    init(onSuspend: @escaping @Sendable () -> Void = {}) {
        self.onSuspend = onSuspend
    }

    /// The control of the transfer, once it has begun; `nil` if no other object retains it.
    let began = Signal<Void>()

    var control: Control? { shared.withLock { $0.control } }

    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        let control = Control(receiver, onSuspend: onSuspend)
        shared.withLock { $0.control = control }
        began.send()
        return await control.perform()
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? { nil }
}
