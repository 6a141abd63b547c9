package import ErrandTaskStore
import ErrandTime
import Logging

/// An action on many tasks, performed page by page, on several tasks at a time.
///
/// Covers the tasks that exist at the beginning, newest first, not those created in the meantime. A task that no longer
/// matches the filter when its turn comes stays as it is.
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

    /// The action on each task.
    package enum Action: String, Sendable, CaseIterable {
        case cancel
        case suspend
        case resume
        case runNow = "run-now"
        case retry
        case delete
    }

    /// A bulk request.
    package struct Call: Sendable, Hashable {
        var action: Action
        var filter: BulkFilter
        /// True if tasks that were already retried are retried again.
        var again: Bool
        /// The most tasks that the request selects, the newest of the filter or the first of the identifiers; `nil` for
        /// all.
        var limit: Int?
        /// True if the selected tasks are only counted.
        package var isDryRun: Bool

        /// True if the order in which the tasks are changed determines that in which they run.
        fileprivate var determinesOrder: Bool { !isDryRun && (action == .retry || action == .runNow) }

        /// Creates a request.
        package init(
            _ action: Action, on filter: BulkFilter, again: Bool = false, limit: Int? = nil, isDryRun: Bool = false
        ) {
            self.action = action
            self.filter = filter
            self.again = again
            self.limit = limit
            self.isDryRun = isDryRun
        }

        /// Returns true if a client that sends both means the same request, even if a relative time has moved.
        func isSameRequest(as other: Call) -> Bool {
            var (this, that) = (self, other)
            this.filter = filter.withoutRelativeMoments
            that.filter = other.filter.withoutRelativeMoments
            return this == that
        }
    }

    /// The outcome of a bulk request, or its part for one task.
    package struct Outcome: Sendable {
        /// The number of tasks that match the filter.
        package var matched = 0
        /// The number of tasks that were changed.
        package var changed = 0
        /// The number of tasks that the same request would change if it were not a dry run.
        package var wouldChange = 0
        /// The error that ended the work early.
        package var error: TaskStoreError?
        /// The reason for which tasks that could be retried were not, the first if there are several.
        ///
        /// The work goes on, unless the gateway is stopping: the queues of other sessions may have room.
        package var refusal: TaskCreationOutcome.Refusal?
    }

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
            await perform(on: Array(ids.prefix(call.limit ?? .max)), &outcome)
        case .matching(var query):
            query.after = service.context.ids.next()
            do throws(TaskStoreError) {
                await perform(on: try await service.narrowedToHold(query), &outcome)
            } catch {
                outcome.error = error
            }
        }
        return outcome
    }

    private func perform(on query: TaskQuery, _ outcome: inout Outcome) async {
        var query = query
        var rest = call.limit ?? .max
        // Sixteen bytes for each task, if the order matters.
        var selected: [TaskID] = []
        while !outcome.isOver, rest > 0 {
            query.pageSize = min(pageSize, rest)
            let page: [TaskID]
            do throws(TaskStoreError) {
                page = try await call.isDryRun ? count(query, &outcome) : service.identifiers(query)
            } catch {
                outcome.error = error
                return
            }
            if call.determinesOrder {
                selected += page
            } else if !call.isDryRun {
                await perform(on: page, &outcome)
            }
            guard page.count == query.pageSize, let last = page.last else { break }
            rest -= page.count
            query.after = last
        }
        await perform(on: selected.reversed(), &outcome)
    }

    /// Counts a page of tasks, of which no documents are read, and returns their identifiers.
    private func count(_ query: TaskQuery, _ outcome: inout Outcome) async throws(TaskStoreError) -> [TaskID] {
        let query = TaskMembers([.state, .content]).narrowing(query)
        let tasks = try await service.page(query, isBegun: true, show: \.tasks)
        outcome.matched += tasks.count
        outcome.wouldChange += tasks.count { mayChange($0) }
        return tasks.map(\.id)
    }

    /// Performs the action on tasks, page by page.
    private func perform(on ids: [TaskID], _ outcome: inout Outcome) async {
        var rest = ids[...]
        var halted: Set<OrderingKey> = []
        while !outcome.isOver, !rest.isEmpty {
            let page = rest.prefix(pageSize)
            rest = rest.dropFirst(pageSize)
            do throws(TaskStoreError) {
                let sequences = try await sequences(of: page)
                await perform(on: sequences, halting: &halted, &outcome)
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
            guard error.code == .sealed || error.code == .corrupt else { throw error }
            return nil
        }
    }

    /// Performs the action on the tasks of several sequences at a time, and of each one after the other.
    ///
    /// - Parameter halted: The ordering keys of tasks that were refused, whose later tasks are only counted.
    private func perform(
        on sequences: [TaskSequence], halting halted: inout Set<OrderingKey>, _ outcome: inout Outcome
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
                group.addTask { (sequence.key, await perform(onEach: sequence.ids)) }
            }
            rest = rest.dropFirst(Self.width)
            while let (key, part) = await group.next() {
                outcome.add(part)
                if let key, part.refusal != nil { halted.insert(key) }
                // After a failure, waits for started tasks and starts no more.
                if !outcome.isOver, let sequence = rest.popFirst() {
                    group.addTask { (sequence.key, await perform(onEach: sequence.ids)) }
                }
            }
        }
    }

    /// Performs the action on one task after the other until one is refused, and counts those behind it.
    private func perform(onEach ids: [TaskID]) async -> Outcome {
        var outcome = Outcome()
        var rest = ids[...]
        // The next tasks of an ordering key must not overtake one that was refused.
        while !outcome.isOver, outcome.refusal == nil, let id = rest.popFirst() {
            outcome.add(await perform(on: id))
        }
        if !outcome.isOver { outcome.matched += rest.count }
        return outcome
    }

    // MARK: One task

    private func perform(on id: TaskID) async -> Outcome {
        do throws(TaskStoreError) {
            guard let record = try await service.task(id) else { return .missing }
            // It may have changed since it was selected: a queued task runs, or is done.
            guard call.filter.stillSelects(record, service.dispatcher), mayChange(record) else { return .unchanged }
            return call.isDryRun ? .wouldChange : try await change(record)
        } catch  where error.code == .sealed || error.code == .corrupt {
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
    /// Applies an action to many tasks, and completes it even if the caller is cancelled.
    ///
    /// - Parameter key: The key of the request: a repeated request gets the earlier outcome, and does nothing.
    package func perform(_ call: BulkWork.Call, key: IdempotencyKey? = nil) async -> BulkAnswers.Answer {
        let work = BulkWork(service: self, call: call, key: key)
        guard let key else {
            return .outcome(await services.bulkAnswers.outcome { await work.run() }, isReplayed: false)
        }
        let owned = IdempotencyKeysInUse.Owned(owner: caller.tokenName, key: key)
        return await services.bulkAnswers.answer(to: call, key: owned) { await work.run() }
    }
}

extension BulkWork.Outcome {
    /// The task does not exist, or the caller must not see it.
    fileprivate static let missing = Self()
    fileprivate static let unchanged = Self(matched: 1)
    fileprivate static let changed = Self(matched: 1, changed: 1)
    fileprivate static let wouldChange = Self(matched: 1, wouldChange: 1)

    /// True if no further task is tried.
    fileprivate var isOver: Bool { error != nil || isStopped }

    /// True if the work ends because the gateway is stopping.
    private var isStopped: Bool { if case .stopping? = refusal { true } else { false } }

    fileprivate static func failed(_ error: TaskStoreError) -> Self {
        Self(matched: 1, error: error)
    }

    /// Creates the part of a task on which a command was tried.
    fileprivate init(of outcome: TaskCommandOutcome) {
        self =
            switch outcome {
            case .done(_, let isChanged): isChanged ? .changed : .unchanged
            case .refused, .preconditionFailed, .invalid: .unchanged
            case .notFound: .missing
            }
    }

    /// Adds the part of a task.
    fileprivate mutating func add(_ part: Self) {
        matched += part.matched
        changed += part.changed
        wouldChange += part.wouldChange
        error = error ?? part.error
        // That the gateway is stopping concerns all tasks.
        if refusal == nil || part.isStopped { refusal = part.refusal }
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
