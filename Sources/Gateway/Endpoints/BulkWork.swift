import Logging
import TaskStore

/// Does something to many tasks, page by page, a few at a time.
///
/// It goes through the tasks that there are when it begins, newest first; those made meanwhile, by itself or others, are
/// not among them.
struct BulkWork: Sendable {
    let tasks: TaskEndpoints
    let caller: Caller
    let action: Action

    /// What is done.
    enum Action: String, Sendable, CaseIterable {
        case cancel
        case suspend
        case resume
        case retry
        case delete
    }

    /// What came of it.
    struct Outcome: Sendable {
        /// The tasks that the filter has matched.
        var matched = 0
        /// Those that it changed something of; a task that was so already is none of them.
        var changed = 0
        /// Why it did not come to its end.
        var error: TaskStoreError?
    }

    /// The tasks of a page.
    static let pageSize = 1000
    /// The tasks that something is being done to at once: enough to fill the store's grouped commits.
    static let width = 64

    private var dispatcher: Dispatcher { tasks.dispatcher }

    /// Does it to all tasks of a filter.
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

    /// What became of one task.
    fileprivate enum Step: Sendable {
        case changed
        case unchanged
        /// There is none, or none for the caller.
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
                // What is under way is waited for; nothing is begun after a failure.
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

    /// A task that cannot be read can be removed, and nothing else.
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
            return switch try await dispatcher.cancel(record.id) {
            case .canceled, .canceling: .changed
            case .tooLate: .unchanged
            case .notFound: .missing
            }
        case .suspend:
            guard record.state != .suspended else { return .unchanged }
            return step(try await dispatcher.suspend(record.id))
        case .resume:
            guard record.state == .suspended else { return .unchanged }
            return step(try await dispatcher.resume(record.id))
        case .retry:
            return try await retry(record)
        case .delete:
            return try await dispatcher.delete(record.id) ? .changed : .missing
        }
    }

    private func step(_ answer: Dispatcher.StepAnswer) -> Step {
        switch answer {
        case .done: .changed
        case .refused: .unchanged
        case .notFound: .missing
        }
    }

    /// A task that is not over, or cannot be made again by the configuration in force, stays as it is.
    private func retry(_ record: TaskRecord) async throws(TaskStoreError) -> Step {
        guard record.state.isTerminal else { return .unchanged }
        do throws(TaskRejection) {
            switch try await tasks.again(record, for: caller) {
            case .created, .replayed: return .changed
            case .refused: return .unchanged
            case .failed(let error): return .failed(error)
            }
        } catch {
            tasks.logger.info("A task could not be made again", metadata: ["task": "\(record.id)"])
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
