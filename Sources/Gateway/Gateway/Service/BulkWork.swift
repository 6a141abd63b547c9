import ErrandTaskStore
import ErrandTime
import Logging

/// An action on many tasks, performed page by page, on several tasks at a time.
///
/// Covers the tasks that exist at the beginning, newest first, not those created in the meantime.
struct BulkWork: Sendable {
    let tasks: TaskEndpoints
    let caller: Caller
    let action: Action
    /// True if tasks that were already retried are retried again.
    var again = false
    /// The key of the request, which keeps it from retrying a task twice.
    var key: IdempotencyKey?

    /// The action on each task.
    enum Action: String, Sendable, CaseIterable {
        case cancel
        case suspend
        case resume
        case runNow = "run-now"
        case retry
        case delete
    }

    /// The outcome of a bulk request.
    struct Outcome: Sendable {
        /// The number of tasks that match the filter.
        var matched = 0
        /// The number of tasks that were changed.
        var changed = 0
        /// The error that ended the work early.
        var error: TaskStoreError?
    }

    /// The number of tasks of a page.
    static let pageSize = 1000
    /// The number of tasks processed at the same time, enough to fill the store's grouped commits.
    static let width = 64

    private var dispatcher: Dispatcher { tasks.dispatcher }

    /// Applies the action to all tasks of a filter.
    func run(on filter: BulkFilter) async -> Outcome {
        var outcome = Outcome()
        switch filter {
        case .ids(let ids):
            await perform(on: ids, &outcome)
        case .matching(var query):
            query.sessions = caller.narrowing(query.sessions)
            query.pageSize = Self.pageSize
            query.after = tasks.intake.ids.next()
            await perform(on: query, &outcome)
        }
        return outcome
    }

    private func perform(on query: TaskQuery, _ outcome: inout Outcome) async {
        var query = query
        while outcome.error == nil {
            let page: [TaskID]
            do {
                page = try await dispatcher.store.identifiers(query)
            } catch {
                outcome.error = error
                return
            }
            await perform(on: page, &outcome)
            guard page.count == Self.pageSize, let last = page.last else { return }
            query.after = last
        }
    }

    /// The result for one task.
    fileprivate enum Step: Sendable {
        case changed
        case unchanged
        /// The task does not exist, or the caller must not see it.
        case missing
        case failed(TaskStoreError)
    }

    private func perform(on ids: [TaskID], _ outcome: inout Outcome) async {
        await withTaskGroup(of: Step.self) { group in
            var rest = ids[...]
            for id in rest.prefix(Self.width) { group.addTask { await step(id) } }
            rest = rest.dropFirst(Self.width)
            while let step = await group.next() {
                outcome.note(step)
                // After a failure, waits for started steps and starts no more.
                if outcome.error == nil, let id = rest.popFirst() {
                    group.addTask { await self.step(id) }
                }
            }
        }
    }

    private func step(_ id: TaskID) async -> Step {
        do throws(TaskStoreError) {
            guard let record = try await dispatcher.task(id), caller.sees(session: record.session) else {
                return .missing
            }
            return try await change(record)
        } catch  where error.code == .sealed || error.code == .corrupt {
            return await unreadable(id, error)
        } catch {
            return .failed(error)
        }
    }

    /// Handles a task that cannot be read: it can be deleted, nothing else.
    private func unreadable(_ id: TaskID, _ error: TaskStoreError) async -> Step {
        guard error.session.map({ caller.sees(session: $0) }) ?? (caller.sessions == nil) else { return .missing }
        guard action == .delete else { return .unchanged }
        do {
            return try await dispatcher.delete(id) ? .changed : .missing
        } catch {
            return .failed(error)
        }
    }

    private func change(_ record: TaskRecord) async throws(TaskStoreError) -> Step {
        switch action {
        case .cancel:
            guard !record.state.isTerminal, record.state != .canceling else { return .unchanged }
            return step(try await dispatcher.cancel(record))
        case .suspend:
            guard record.state != .suspended else { return .unchanged }
            return step(try await dispatcher.suspend(record))
        case .resume:
            guard record.state == .suspended else { return .unchanged }
            return step(try await dispatcher.resume(record))
        case .runNow:
            switch record.state {
            case .scheduled, .waiting: return step(try await dispatcher.runNow(record))
            case .queued where record.readyAt != .earliest: return step(try await dispatcher.runNow(record))
            case .queued, .running, .suspended, .canceling, .succeeded, .failed, .canceled: return .unchanged
            }
        case .retry:
            return try await retry(record)
        case .delete:
            return try await dispatcher.delete(record.id) ? .changed : .missing
        }
    }

    private func step(_ outcome: TaskCommandOutcome) -> Step {
        switch outcome {
        case .done(_, let isChanged): isChanged ? .changed : .unchanged
        case .refused, .preconditionFailed: .unchanged
        case .notFound: .missing
        }
    }

    /// Retries a finished task.
    ///
    /// Leaves it unchanged if it is unfinished, was already retried, or is not valid under the configuration in force.
    private func retry(_ record: TaskRecord) async throws(TaskStoreError) -> Step {
        guard record.state.isTerminal, again || record.retriedBy == nil else { return .unchanged }
        let key = key?.derived(for: record.id)
        do throws(TaskRejection) {
            switch try await tasks.again(record, for: caller, key: key, unlessRetried: !again) {
            case .created, .replayed, .replayedRemoved: return .changed
            case .refused, .alreadyRetried: return .unchanged
            case .failed(let error): return .failed(error)
            }
        } catch {
            tasks.logger.info("A task could not be retried", metadata: ["task": "\(record.id)"])
            return .unchanged
        }
    }
}

extension BulkWork.Outcome {
    fileprivate mutating func note(_ step: BulkWork.Step) {
        switch step {
        case .changed:
            matched += 1
            changed += 1
        case .unchanged: matched += 1
        case .missing: break
        case .failed(let failure):
            matched += 1
            error = error ?? failure
        }
    }
}
