import ErrandLocking
import ErrandTransfer

/// The control of a scripted transfer, which pauses between two steps of its script while it is suspended.
final class ScriptedControl: TransferControl {
    private let (room, roomMade) = AsyncStream.makeStream(of: Void.self)
    private let state = Mutex(State())

    fileprivate struct State {
        var isSuspended = false
        var isCanceled = false
        var progress = TransferProgress()
        var waiter: Continuation<Void>?
        var onCancel: (@Sendable () -> Void)?
    }

    func resumeReceiving() { roomMade.yield() }
    func resumeSending() {}
    var progress: TransferProgress { state.withLock { $0.progress } }

    /// Records received content.
    func didReceive(bytes: Int) {
        state.withLock { state in
            state.progress.received += Int64(bytes)
            state.progress.receivedOnWire += Int64(bytes)
        }
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

    /// Sets an additional action for a cancellation.
    func onCancel(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.onCancel = action
            return state.isCanceled
        }
        if isLate { action() }
    }

    /// Waits until the transfer is not suspended, or is canceled.
    func untilResumed() async {
        await withTaskCancellationHandler {
            await withContinuation { continuation in
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

    /// Waits until the receiver can take more bytes, or the calling task is canceled.
    func resumed() async {
        for await _ in room { return }
    }
}

extension ScriptedControl.State {
    fileprivate mutating func takeWaiter() -> Continuation<Void>? {
        defer { waiter = nil }
        return waiter
    }
}
