import Locking
import Support
import Transfer

/// A transport with one transfer, which ends when it is cancelled or a test says so, and whose control keeps hold of
/// everything that libcurl's does.
final class SpiedTransport: Transport {
    /// What the transfer is told.
    enum Call: String, Sendable {
        case suspend, resume, cancel
    }

    final class Control: TransferControl {
        /// The calls, each when it has been taken in.
        let calls = EventLog<Call>()
        /// Runs within ``suspend()``, before it is taken in.
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

    /// - Parameter onSuspend: Runs within the suspension of the transfer, before it is taken in.
    init(onSuspend: @escaping @Sendable () -> Void = {}) {
        self.onSuspend = onSuspend
    }

    /// The transfer has begun; its control is gone when nobody else keeps it.
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
