import ErrandTaskStore
import ErrandTime
import Logging

/// An action on many tasks, performed page by page, on several tasks at a time.
///
/// Covers the tasks that exist at the beginning or are being created then, newest first, and none that comes later. A
/// task that no longer matches the filter when its turn comes stays as it is. One that begins to match in the meantime
/// may be taken too, with a limit in place of a newer one.
///
/// Retries and starts go from the oldest to the newest, or in the order of the given identifiers, and those of one
/// ordering key one after the other: such tasks run in the order in which they are created or queued. The tasks behind
/// one that is refused for now stay as they are.
package struct BulkWork: Sendable {
    let service: TaskService
    let call: Call
    /// The key of the request, which keeps it from retrying a task twice.
    var key: IdempotencyKey?
    /// The number of tasks of a page.
    var pageSize = Self.pageSize

    /// The default number of tasks of a page.
    static let pageSize = 1000
    /// The number of tasks processed at the same time, enough to fill the store's grouped commits.
    static let width = 64

    /// The limits that a request can have.
    package static let limits = 1...1_000_000_000

    /// Applies the action to the selected tasks, or counts them.
    func run() async -> Outcome {
        var outcome = Outcome()
        switch call.filter {
        case .ids(let ids):
            var halted: Set<OrderingKey> = []
            await runPages(of: Array(ids.prefix(call.limit ?? .max)), halting: &halted, &outcome)
        case .matching(var query):
            let newest = service.context.ids.next()
            query.after = newest
            do throws(TaskStoreError) {
                query = try await service.narrowedToHold(query)
                if call.determinesOrder {
                    try await runOldestFirst(query, upTo: newest, &outcome)
                } else {
                    try await run(query, &outcome)
                }
            } catch {
                outcome.error = error
            }
        }
        return outcome
    }

    /// Reads the tasks of a query page by page, as many as the limit admits, as long as the caller would be admitted.
    ///
    /// - Parameter handle: Reads and handles a page, and returns it; `nil` to read no more.
    private func forEachPage(
        of query: TaskQuery, _ handle: (TaskQuery) async throws(TaskStoreError) -> [TaskID]?
    ) async throws(TaskStoreError) {
        var query = query
        var rest = call.limit ?? .max
        while rest > 0 {
            guard service.isStillAdmitted else { throw .callerIsGone }
            query.pageSize = min(pageSize, rest)
            guard let page = try await handle(query), page.count == query.pageSize, let last = page.last else { return }
            rest -= page.count
            query.after = last
        }
    }

    /// Performs the action on the tasks of a query, or counts them, in the order of the query.
    private func run(_ query: TaskQuery, _ outcome: inout Outcome) async throws(TaskStoreError) {
        var halted: Set<OrderingKey> = []
        try await forEachPage(of: query) { (query) async throws(TaskStoreError) -> [TaskID]? in
            guard !call.isDryRun else { return try await count(query, &outcome) }
            let page = try await service.identifiers(query)
            await runPages(of: page, halting: &halted, &outcome)
            return outcome.isOver ? nil : page
        }
    }

    /// Performs the action on the tasks of a query from the oldest to the newest.
    ///
    /// Only one page of identifiers is in memory, however many tasks match.
    ///
    /// - Parameter newest: An identifier above those of all tasks that exist.
    private func runOldestFirst(
        _ query: TaskQuery, upTo newest: TaskID, _ outcome: inout Outcome
    ) async throws(TaskStoreError) {
        var query = query
        if let limit = call.limit, limit <= pageSize {
            query.pageSize = limit
            var halted: Set<OrderingKey> = []
            let selected: [TaskID] = try await service.identifiers(query).reversed()
            return await runPages(of: selected, halting: &halted, &outcome)
        }
        guard let oldest = try await lowestSelected(query), oldest <= newest else { return }
        query.order = .oldestFirst
        query.range = oldest...newest
        query.after = nil
        try await run(query, &outcome)
    }

    /// Returns the lowest identifier of the tasks that the limit admits, the newest ones; `nil` if there are none.
    private func lowestSelected(_ query: TaskQuery) async throws(TaskStoreError) -> TaskID? {
        guard call.limit != nil else { return TaskID.first(at: .earliest) }
        var lowest: TaskID?
        try await forEachPage(of: query) { (query) async throws(TaskStoreError) -> [TaskID]? in
            let page = try await service.identifiers(query)
            lowest = page.last ?? lowest
            return page
        }
        return lowest
    }

    /// Counts a page of tasks, of which no documents are read, and returns their identifiers.
    private func count(_ query: TaskQuery, _ outcome: inout Outcome) async throws(TaskStoreError) -> [TaskID] {
        let query = TaskMembers([.state, .content]).narrowing(query)
        let tasks = try await service.page(query, isBegun: true, show: \.tasks)
        outcome.matched += tasks.count
        outcome.wouldChange += tasks.count { mayChange($0) }
        return tasks.map(\.id)
    }

    /// Performs the action on tasks, page by page, as long as the caller would still be admitted.
    ///
    /// - Parameter halted: The ordering keys of tasks that were refused, whose later tasks are only counted.
    private func runPages(
        of ids: [TaskID], halting halted: inout Set<OrderingKey>, _ outcome: inout Outcome
    ) async {
        var rest = ids[...]
        while !outcome.isOver, !rest.isEmpty {
            guard service.isStillAdmitted else {
                outcome.error = .callerIsGone
                return
            }
            let page = rest.prefix(pageSize)
            rest = rest.dropFirst(pageSize)
            do throws(TaskStoreError) {
                let sequences = try await sequences(of: page)
                await runConcurrently(sequences, halting: &halted, &outcome)
            } catch {
                outcome.error = error
            }
        }
    }

    // MARK: Ordering keys

    /// An ordering key of a session.
    private struct OrderingKey: Hashable, Sendable {
        var session: String
        var text: String
    }

    /// Tasks of one page that are changed one after the other.
    private struct TaskSequence: Sendable {
        /// The ordering key of the tasks, which exist; `nil` for a single task.
        var key: OrderingKey?
        var ids: [TaskID]
    }

    /// Divides tasks into those that have the same ordering key, which are changed one after the other, and all others.
    private func sequences(of ids: ArraySlice<TaskID>) async throws(TaskStoreError) -> [TaskSequence] {
        guard call.determinesOrder else { return ids.map { TaskSequence(ids: [$0]) } }
        var sequences: [TaskSequence] = []
        var indices: [OrderingKey: Int] = [:]
        for id in ids {
            guard let key = try await orderingKey(of: id) else {
                sequences.append(TaskSequence(ids: [id]))
                continue
            }
            if let index = indices[key] {
                sequences[index].ids.append(id)
            } else {
                indices[key] = sequences.count
                sequences.append(TaskSequence(key: key, ids: [id]))
            }
        }
        return sequences
    }

    /// Returns the ordering key of a task; `nil` if it has none, does not exist or cannot be read.
    ///
    /// - Throws: A failure of the store: without its key the task could overtake others.
    private func orderingKey(of id: TaskID) async throws(TaskStoreError) -> OrderingKey? {
        do throws(TaskStoreError) {
            guard let record = try await service.task(id), let text = record.orderingKey else { return nil }
            return OrderingKey(session: record.session, text: text)
        } catch {
            guard error.isOfOneTask else { throw error }
            return nil
        }
    }

    /// Performs the action on the tasks of several sequences at a time, and of each one after the other.
    ///
    /// - Parameter halted: The ordering keys of tasks that were refused, whose later tasks are only counted.
    private func runConcurrently(
        _ sequences: [TaskSequence], halting halted: inout Set<OrderingKey>, _ outcome: inout Outcome
    ) async {
        var begun: [TaskSequence] = []
        for sequence in sequences {
            if let key = sequence.key, halted.contains(key) {
                outcome.matched += sequence.ids.count
            } else {
                begun.append(sequence)
            }
        }
        await withTaskGroup(of: (OrderingKey?, Outcome).self) { group in
            var rest = begun[...]
            for sequence in rest.prefix(Self.width) {
                group.addTask { (sequence.key, await runInOrder(sequence.ids)) }
            }
            rest = rest.dropFirst(Self.width)
            while let (key, part) = await group.next() {
                outcome.add(part)
                if let key, part.refusal != nil { halted.insert(key) }
                // After a failure, waits for started tasks and starts no more.
                if !outcome.isOver, let sequence = rest.popFirst() {
                    group.addTask { (sequence.key, await runInOrder(sequence.ids)) }
                }
            }
        }
    }

    /// Performs the action on one task after the other until one is refused, and counts those behind it.
    private func runInOrder(_ ids: [TaskID]) async -> Outcome {
        var outcome = Outcome()
        var rest = ids[...]
        // The next tasks of an ordering key must not overtake one that was refused.
        while !outcome.isOver, outcome.refusal == nil, let id = rest.popFirst() {
            outcome.add(await runOne(id))
        }
        if !outcome.isOver { outcome.matched += rest.count }
        return outcome
    }

    // MARK: One task

    /// Performs the action on a task that still matches, or counts it.
    private func runOne(_ id: TaskID) async -> Outcome {
        do throws(TaskStoreError) {
            guard let record = try await service.task(id) else { return .missing }
            // It may have changed since it was selected: a queued task runs, or is done.
            guard call.filter.stillSelects(record, service.dispatcher), mayChange(record) else { return .unchanged }
            return call.isDryRun ? .wouldChange : try await change(record)
        } catch  where error.isOfOneTask {
            return await unreadable(id, error)
        } catch  where error.code == .stillCanceling {
            // It is about this task alone.
            return .unchanged
        } catch {
            return .failed(error)
        }
    }

    /// Handles a task that cannot be read: it can be deleted, nothing else.
    ///
    /// One whose row is so damaged that it cannot even be deleted stays as it is, and does not end the work.
    private func unreadable(_ id: TaskID, _ error: TaskStoreError) async -> Outcome {
        guard service.sees(unreadable: error) else { return .missing }
        guard call.action == .delete else { return .unchanged }
        if call.isDryRun { return .wouldChange }
        do throws(TaskStoreError) {
            return try await service.delete(RemovableTask(unreadable: id, session: error.session)) ? .changed : .missing
        } catch  where error.code == .corrupt {
            return .unchanged
        } catch {
            return .failed(error)
        }
    }

    /// Returns true if the action changes a task in this state; a retry may still be refused.
    private func mayChange(_ record: TaskRecord) -> Bool {
        switch call.action {
        case .cancel: !record.state.isTerminal && record.state != .canceling
        case .suspend: !record.state.isTerminal && record.state != .canceling && record.state != .suspended
        case .resume: record.state == .suspended
        case .runNow:
            switch record.state {
            case .scheduled, .waiting: !record.awaitsContent
            case .queued: record.readyAt != .earliest
            case .running, .suspended, .canceling, .succeeded, .failed, .canceled: false
            }
        case .retry: record.state.isTerminal && (call.again || record.retriedBy == nil)
        case .delete: true
        }
    }

    /// Applies the action to a task that it may change.
    private func change(_ record: TaskRecord) async throws(TaskStoreError) -> Outcome {
        switch call.action {
        case .cancel: Outcome(of: try await service.cancel(record))
        case .suspend: Outcome(of: try await service.suspend(record))
        case .resume: Outcome(of: try await service.resume(record))
        case .runNow: Outcome(of: try await service.runNow(record))
        case .retry: await retry(record)
        case .delete: try await service.delete(RemovableTask(record)) ? .changed : .missing
        }
    }

    /// Retries a finished task.
    ///
    /// Leaves it unchanged if it was retried meanwhile, or is not valid under the configuration in force.
    private func retry(_ record: TaskRecord) async -> Outcome {
        let key = key?.derived(for: record.id)
        do throws(TaskStoreError) {
            switch try await service.retry(record, key: key, unlessRetried: !call.again) {
            case .created, .replayed, .replayedRemoved:
                return .changed
            case .refused(.rejected):
                service.context.logger.info("A task could not be retried", metadata: ["task": "\(record.id)"])
                return .unchanged
            case .refused(let refusal):
                return refusal.mayPass ? Outcome(matched: 1, refusal: refusal) : .unchanged
            }
        } catch {
            return .failed(error)
        }
    }
}

extension TaskService {
    /// Applies an action to many tasks, and completes it even if the caller is canceled.
    ///
    /// - Parameter key: The key of the request: a repeated request gets the earlier outcome, and does nothing.
    package func perform(_ call: BulkWork.Call, key: IdempotencyKey? = nil) async -> BulkRequests.Outcome {
        let work = BulkWork(service: self, call: call, key: key)
        guard let key else {
            return .done(await services.bulkRequests.run { await work.run() }, isReplayed: false)
        }
        let owned = IdempotencyKeysInUse.Owned(owner: caller.tokenName, key: key)
        return await services.bulkRequests.run(call, key: owned) { await work.run() }
    }
}

extension TaskCreationOutcome.Refusal {
    /// True if it is not about the task, so that the same request may succeed later.
    fileprivate var mayPass: Bool {
        switch self {
        case .keyInUse, .sessionClosed, .queueFull, .stopping: true
        case .keyReused, .keyOfHiddenTask, .unfinished, .alreadyRetried, .rejected: false
        }
    }
}
