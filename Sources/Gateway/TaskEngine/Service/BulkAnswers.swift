import DequeModule
import ErrandLocking
import ErrandTaskStore

/// The outcomes of bulk requests with an `Idempotency-Key`; a repeated request gets the earlier outcome and does
/// nothing.
///
/// The newest are kept for the lifetime of the process. A retry is protected beyond it: each new task has its own key
/// in the store, derived from the key of the request (``IdempotencyKey/derived(for:)``). The other actions have no
/// effect when repeated.
///
/// Any thread.
package final class BulkAnswers: Sendable {
    /// The result of a request.
    package enum Answer: Sendable {
        /// The outcome of this request, or of the earlier one with the same key.
        case outcome(BulkWork.Outcome, isReplayed: Bool)
        /// The key was used with a different request.
        case keyReused
    }

    private struct Entry {
        var call: BulkWork.Call
        var work: Task<BulkWork.Outcome, Never>
    }

    private struct State {
        var entries: [IdempotencyKeysInUse.Owned: Entry] = [:]
        var order: Deque<IdempotencyKeysInUse.Owned> = []
    }

    /// The maximum number of remembered outcomes.
    static let limit = 1000

    private let state = Mutex(State())

    /// Creates answers to no request.
    package init() {}

    /// Performs a request, unless the same one was already performed with the key.
    ///
    /// The work does not depend on the HTTP request: it also completes if the client disconnects.
    func answer(
        to call: BulkWork.Call, key: IdempotencyKeysInUse.Owned,
        _ work: @escaping @Sendable () async -> BulkWork.Outcome
    ) async -> Answer {
        let (entry, isNew) = state.withLock { state in
            if let entry = state.entries[key] { return (entry, false) }
            let entry = Entry(call: call, work: Task { await work() })
            state.entries[key] = entry
            state.order.append(key)
            if state.order.count > Self.limit, let oldest = state.order.popFirst() { state.entries[oldest] = nil }
            return (entry, true)
        }
        guard entry.call.isSameRequest(as: call) else { return .keyReused }
        let outcome = await entry.work.value
        // A request that failed midway may be repeated.
        if isNew, outcome.error != nil { forget(key) }
        return .outcome(outcome, isReplayed: !isNew)
    }

    private func forget(_ key: IdempotencyKeysInUse.Owned) {
        state.withLock { state in
            state.entries[key] = nil
            state.order.removeAll { $0 == key }
        }
    }
}
