import ErrandJSON
package import ErrandTaskStore

/// The creation of tasks.
extension TaskService {
    /// The decoder of the tasks that the caller creates.
    package var decoder: TaskDecoder {
        TaskDecoder(
            sessions: context.sessions, caller: caller, maxDepth: services.maxDepth, now: context.now)
    }

    /// Creates a task; it is stored when this returns.
    ///
    /// - Parameter trace: The trace that the task continues.
    /// - Throws: The failure of the store, which is logged; nothing is stored.
    package func create(
        _ task: AcceptedTask, in trace: TraceContext? = nil
    ) async throws(TaskStoreError) -> TaskCreationOutcome {
        try await create(TaskIntake.Order(task: task, origin: AcceptedTask.Origin(trace: trace)))
    }

    /// Creates tasks in one durable write; each succeeds or fails on its own.
    ///
    /// - Parameter trace: The trace that the tasks continue.
    /// - Returns: The outcome of each task, in the same order; an error is logged, and its task is not stored.
    package func create(
        _ tasks: [AcceptedTask], in trace: TraceContext? = nil
    ) async -> [Result<TaskCreationOutcome, TaskStoreError>] {
        let origin = AcceptedTask.Origin(trace: trace)
        let outcomes = await services.intake.create(
            tasks.map { TaskIntake.Order(task: $0, origin: origin) }, by: caller.tokenName)
        return outcomes.map { visible($0) }
    }

    /// Returns the earlier outcome of a document that would no longer be accepted.
    ///
    /// - Parameter key: The key of the request; `nil` for the key in the document, if any.
    /// - Returns: `nil` if the key has not created a task of this document.
    package func earlier(
        _ document: [UInt8], key: IdempotencyKey?
    ) async throws(TaskStoreError) -> TaskCreationOutcome? {
        let outcome = await services.intake.earlier(
            document, key: key, maxDepth: services.maxDepth, by: caller.tokenName)
        guard let outcome else { return nil }
        return try visible(outcome).get()
    }

    // MARK: Retry

    /// Creates a new task from a finished one; the caller needs permission to create such a task.
    ///
    /// A key that has already repeated the task in the same way returns the earlier outcome, also if the repetition
    /// would be refused by now.
    ///
    /// - Parameters:
    ///   - overrides: A JSON object of members that replace the old ones; empty for none.
    ///   - key: The key of the request.
    ///   - unlessRetried: True to refuse a task that was already retried.
    ///   - trace: The trace that the new task continues if the old one has none.
    /// - Throws: The failure of the store, which is logged; nothing is stored.
    package func retry(
        _ record: TaskRecord, overrides: [UInt8] = [], key: IdempotencyKey? = nil, unlessRetried: Bool = false,
        in trace: TraceContext? = nil
    ) async throws(TaskStoreError) -> TaskCreationOutcome {
        guard record.state.isTerminal else { return .refused(.unfinished(record)) }
        let outcome = try await repeated(
            record, overrides: overrides, key: key, unlessRetried: unlessRetried, in: trace)
        guard let key else { return outcome }
        switch outcome {
        case .refused(.rejected), .refused(.keyReused):
            return try await earlierOfFormerVersion(record, overrides: overrides, key: key) ?? outcome
        case .created, .replayed, .replayedRemoved, .refused:
            return outcome
        }
    }

    /// Returns the earlier outcome of a request to repeat a task that would be refused by now, or whose task is gone.
    ///
    /// - Parameters:
    ///   - original: The task to be repeated.
    ///   - overrides: The content of the request; empty for none.
    ///   - key: The key of the request.
    /// - Returns: `nil` if the key has not repeated this task with these overrides.
    package func earlier(
        retryOf original: TaskID, overrides: [UInt8], key: IdempotencyKey
    ) async throws(TaskStoreError) -> TaskCreationOutcome? {
        let outcome = await services.intake.earlier(
            retryOf: original, overrides: overrides, key: key, maxDepth: services.maxDepth, by: caller.tokenName)
        guard let outcome else { return nil }
        return try visible(outcome).get()
    }

    /// Returns the earlier outcome of a retry whose key a former version has stored: with the document of the new task
    /// as the payload.
    ///
    /// - Returns: `nil` if the key has not created a task of this document, or has repeated another task.
    private func earlierOfFormerVersion(
        _ record: TaskRecord, overrides: [UInt8], key: IdempotencyKey
    ) async throws(TaskStoreError) -> TaskCreationOutcome? {
        guard
            let repeated = try? TaskRepeat.document(
                of: record, overrides: document(overrides), omitsEveryNull: true),
            let outcome = try await earlier(repeated, key: key)
        else { return nil }
        if case .replayed(let task) = outcome, task.retryOf != record.id { return nil }
        return outcome
    }

    /// Creates a new task from a finished one, or returns the earlier outcome of the key.
    private func repeated(
        _ record: TaskRecord, overrides: [UInt8], key: IdempotencyKey?, unlessRetried: Bool, in trace: TraceContext?
    ) async throws(TaskStoreError) -> TaskCreationOutcome {
        let repetition: TaskRepetition
        do throws(TaskRejection) {
            repetition = try await record.kind.handler.repetition(
                of: record, overrides: try document(overrides), key: key, by: decoder, ids: context.ids)
        } catch {
            guard let key, let first = try await earlier(retryOf: record.id, overrides: overrides, key: key) else {
                return .refused(.rejected(error))
            }
            return first
        }
        switch repetition {
        case .decoded(let task):
            let order = TaskIntake.Order(
                task: task, origin: AcceptedTask.Origin(retryOf: record.id, trace: record.trace ?? trace),
                unlessRetried: unlessRetried)
            return try await create(order)
        case .copied(let copy):
            return try visible(
                await services.intake.create(copy, key: key, by: caller.tokenName, unlessRetried: unlessRetried)
            ).get()
        }
    }

    private func create(_ order: TaskIntake.Order) async throws(TaskStoreError) -> TaskCreationOutcome {
        try visible(await services.intake.create(order, by: caller.tokenName)).get()
    }

    /// Parses the members that replace those of a task; `nil` without any.
    private func document(_ overrides: [UInt8]) throws(TaskRejection) -> JSONDocument? {
        guard !overrides.isEmpty else { return nil }
        return try JSONDocument.received(task: overrides, maxDepth: services.maxDepth)
    }
}
