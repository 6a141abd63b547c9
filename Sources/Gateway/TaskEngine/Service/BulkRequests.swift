import DequeModule
import ErrandLocking
import ErrandTaskStore

/// The bulk requests under way, and the outcomes of those with an `Idempotency-Key`: a repeated request gets the
/// earlier outcome and does nothing.
///
/// At most ``maxUnderWay`` requests run at a time, because their work continues after their clients disconnect. The
/// ``limit`` newest outcomes are kept until the process ends; a request under way always keeps its key. A retry stays
/// protected after that: each new task has a key in the store that is derived from the key of the request
/// (``IdempotencyKey/derived(for:)``). The other actions have no effect when repeated.
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

    /// A run of a request with a key, under way or ended.
    private struct Entry {
        var call: BulkWork.Call
        /// The number of the run: a key that was forgotten may have another one.
        var run: UInt64
        var work: Task<BulkWork.Outcome, Never>
    }

    private struct State {
        /// The runs under way, and those whose outcomes are kept.
        var entries: [IdempotencyKeysInUse.Owned: Entry] = [:]
        /// The runs that have ended and are kept, in the order of their ends.
        var ended: Deque<(key: IdempotencyKeysInUse.Owned, run: UInt64)> = []
        /// The number of runs that have begun.
        var runs: UInt64 = 0
        /// The number of requests under way.
        var underWay = 0

        /// Forgets a run, and no later one of its key.
        mutating func forget(_ run: UInt64, of key: IdempotencyKeysInUse.Owned) {
            if entries[key]?.run == run { entries[key] = nil }
        }
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
            state.runs += 1
            let run = state.runs
            let running = Task { () -> BulkWork.Outcome in
                let outcome = await self.limited(work)
                self.end(run, of: key, with: outcome)
                return outcome
            }
            let entry = Entry(call: call, run: run, work: running)
            state.entries[key] = entry
            return (entry, true)
        }
        guard entry.call.isSameRequest(as: call) else { return .keyReused }
        return .done(await entry.work.value, isReplayed: !isNew)
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

    /// Keeps the outcome of a run in place of the oldest one, or forgets the run if it may be repeated.
    private func end(_ run: UInt64, of key: IdempotencyKeysInUse.Owned, with outcome: BulkWork.Outcome) {
        state.withLock { state in
            // A request that failed midway may be repeated, and so may one that has left out tasks for now.
            guard outcome.error == nil, outcome.refusal == nil else { return state.forget(run, of: key) }
            state.ended.append((key, run))
            guard state.ended.count > Self.limit, let oldest = state.ended.popFirst() else { return }
            state.forget(oldest.run, of: oldest.key)
        }
    }
}
