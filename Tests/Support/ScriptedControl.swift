import Locking
import Transfer

/// The control of a scripted transfer: between two steps of its script, it stands still while it is suspended.
final class ScriptedControl: TransferControl {
    private let (room, roomMade) = AsyncStream.makeStream(of: Void.self)
    private let state = Mutex(State())

    fileprivate struct State {
        var isSuspended = false
        var isCanceled = false
        var progress = TransferProgress()
        var waiter: CheckedContinuation<Void, Never>?
        var onCancel: (@Sendable () -> Void)?
    }

    func resumeReceiving() { roomMade.yield() }
    func resumeSending() {}
    var progress: TransferProgress { state.withLock { $0.progress } }

    /// Content has come.
    func didReceive(bytes: Int) {
        state.withLock { $0.progress.received += Int64(bytes) }
    }

    func suspend() {
        state.withLock { $0.isSuspended = true }
    }

    func resume() {
        state.withLock { state in
            state.isSuspended = false
            return state.takeWaiter()
        }?.resume()
    }

    func cancel() {
        let (waiter, onCancel) = state.withLock { state in
            state.isCanceled = true
            return (state.takeWaiter(), state.onCancel)
        }
        onCancel?()
        waiter?.resume()
    }

    /// What a cancel does besides.
    func onCancel(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.onCancel = action
            return state.isCanceled
        }
        if isLate { action() }
    }

    /// Returns when the transfer is not suspended, or is cancelled.
    func untilResumed() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    guard state.isSuspended, !state.isCanceled, !Task.isCancelled else { return true }
                    state.waiter = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeWaiter() }?.resume()
        }
    }

    /// Returns when the receiver has room again or the calling task is cancelled.
    func resumed() async {
        for await _ in room { return }
    }
}

extension ScriptedControl.State {
    fileprivate mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
        defer { waiter = nil }
        return waiter
    }
}
