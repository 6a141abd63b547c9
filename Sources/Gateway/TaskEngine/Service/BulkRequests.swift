import DequeModule
import ErrandLocking
import ErrandTaskStore

/// The bulk requests under way, and the outcomes of those with an `Idempotency-Key`: a repeated request gets the
/// earlier outcome and does nothing.
///
/// At most ``maxUnderWay`` requests run at a time, because their work continues after their clients disconnect. The
/// ``limit`` newest outcomes are kept until the process ends. A retry stays protected after that: each new task has a
/// key in the store that is derived from the key of the request (``IdempotencyKey/derived(for:)``). The other actions
/// have no effect when repeated.
///
/// Any thread.
package final class BulkRequests: Sendable {
    /// The outcome of a request with or without a key.
    package enum Outcome: Sendable {
        /// The request was performed: this one, or the earlier one with the same key.
        case done(BulkWork.Outcome, isReplayed: Bool)
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
        /// The number of requests under way.
        var underWay = 0
    }

    /// The maximum number of remembered outcomes.
    static let limit = 1000
    /// The maximum number of requests under way.
    static let maxUnderWay = 64

    private let state = Mutex(State())

    /// Creates an object without requests.
    package init() {}

    /// Performs a request, unless the same one was already performed with the key.
    ///
    /// The work does not depend on the HTTP request: it also completes if the client disconnects.
    func run(
        _ call: BulkWork.Call, key: IdempotencyKeysInUse.Owned,
        _ work: @escaping @Sendable () async -> BulkWork.Outcome
    ) async -> Outcome {
        let (entry, isNew) = state.withLock { state in
            if let entry = state.entries[key] { return (entry, false) }
            let entry = Entry(call: call, work: Task { await self.limited(work) })
            state.entries[key] = entry
            state.order.append(key)
            if state.order.count > Self.limit, let oldest = state.order.popFirst() { state.entries[oldest] = nil }
            return (entry, true)
        }
        guard entry.call.isSameRequest(as: call) else { return .keyReused }
        let outcome = await entry.work.value
        // A request that failed midway may be repeated, and so may one that has left out tasks for now.
        if isNew, outcome.error != nil || outcome.refusal != nil { forget(key) }
        return .done(outcome, isReplayed: !isNew)
    }

    /// Performs a request without a key; its work also completes if the client disconnects.
    func run(_ work: @escaping @Sendable () async -> BulkWork.Outcome) async -> BulkWork.Outcome {
        // In its own task, which is not canceled with the request.
        await Task { await limited(work) }.value
    }

    /// Performs a request, or returns an error if too many are under way.
    private func limited(_ work: @Sendable () async -> BulkWork.Outcome) async -> BulkWork.Outcome {
        let isAdmitted = state.withLock { state in
            guard state.underWay < Self.maxUnderWay else { return false }
            state.underWay += 1
            return true
        }
        guard isAdmitted else {
            return BulkWork.Outcome(
                error: TaskStoreError(.tooManyReads, "\(Self.maxUnderWay) bulk calls are under way already"))
        }
        defer { state.withLock { $0.underWay -= 1 } }
        return await work()
    }

    private func forget(_ key: IdempotencyKeysInUse.Owned) {
        state.withLock { state in
            state.entries[key] = nil
            state.order.removeAll { $0 == key }
        }
    }
}
