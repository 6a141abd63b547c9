import ErrandLocking

/// A limit on the memory in which all sessions sharing it read content at the same time.
///
/// Requests are served in order, so that large content is not delayed forever. Any thread.
public final class ReadingBudget: Sendable {
    private let maxBytes: Int64
    private let state: Mutex<State>

    private struct State {
        var free: Int64
        /// The waiting attempts in the order of their requests; at most one for each running attempt.
        var waiters: [Waiter] = []
        var lastNumber = 0

        /// Takes shares for the first waiters as far as there is room, and returns these.
        mutating func admit() -> [Waiter] {
            var admitted: [Waiter] = []
            while let first = waiters.first, first.bytes <= free {
                free -= first.bytes
                admitted.append(waiters.removeFirst())
            }
            return admitted
        }
    }

    private struct Waiter {
        var number: Int
        var bytes: Int64
        var continuation: Continuation<Bool>
    }

    /// Creates a budget.
    ///
    /// - Parameter maxBytes: Default: the size of the largest content that a serializer reads.
    public init(maxBytes: Int64 = ResponseConfiguration.maxReadBytes) {
        self.maxBytes = maxBytes
        state = Mutex(State(free: maxBytes))
    }

    /// Waits for a share and takes it; a request above the budget takes all of it.
    ///
    /// - Returns: The share to give back; `nil` if the calling task was canceled before.
    func take(_ bytes: Int64) async -> Int64? {
        let bytes = min(max(bytes, 0), maxBytes)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isTaken = await withTaskCancellationHandler {
            await withContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    state.waiters.append(Waiter(number: number, bytes: bytes, continuation: continuation))
                    guard state.waiters.count == 1, !state.admit().isEmpty else { return nil }
                    return true
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            withdraw(number)
        }
        return isTaken ? bytes : nil
    }

    /// Returns a share.
    func giveBack(_ bytes: Int64) {
        let admitted = state.withLock { state in
            state.free += bytes
            return state.admit()
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }

    private func withdraw(_ number: Int) {
        let (withdrawn, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return (nil, []) }
            // The waiters behind it may fit now.
            return (state.waiters.remove(at: index), state.admit())
        }
        withdrawn?.continuation.resume(returning: false)
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }

    /// The number of waiting requests.
    var waiting: Int { state.withLock { $0.waiters.count } }
}
