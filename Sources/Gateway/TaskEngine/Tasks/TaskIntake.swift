import ErrandBodyFiles
import ErrandJSON
import ErrandTaskStore
import ErrandTime
import Logging

/// Stores accepted tasks, each once for its idempotency key.
struct TaskIntake: Sendable {
    let context: TaskContext
    let dispatcher: Dispatcher
    let keysInUse: IdempotencyKeysInUse
    /// The lifetime of an idempotency key.
    let keyLifetime: Duration
    /// The longest lifetime that a key may have that was stored earlier.
    let longestKeyLifetime: Duration

    /// The outcome for a task; the error if the store failed and nothing is stored.
    typealias Outcome = Result<TaskCreationOutcome, TaskStoreError>

    /// A request to create an accepted task.
    struct Order: Sendable {
        var task: AcceptedTask
        var origin = AcceptedTask.Origin()
        /// True to refuse the task if the original task was retried already.
        var unlessRetried = false
        /// The identifier under which the content of the task is stored already; `nil` for a new one.
        var id: TaskID?
    }

    /// Stores tasks in one durable write; each succeeds or fails on its own.
    ///
    /// - Parameter owner: The name of the token that owns the idempotency keys; `nil` without one.
    /// - Returns: The outcome of each task, in the same order.
    func create(_ orders: [Order], by owner: String?) async -> [Outcome] {
        let wanted = Set(orders.compactMap { owned($0, by: owner) })
        guard !wanted.isEmpty else { return await store(orders.map { creation(of: $0, by: owner) }) }
        let taken = keysInUse.take(wanted)
        defer { keysInUse.release(taken) }
        var outcomes: [Outcome?] = orders.map { order in
            guard let owned = owned(order, by: owner), !taken.contains(owned) else { return nil }
            return .success(.refused(.keyInUse))
        }
        let indices = outcomes.indices.filter { outcomes[$0] == nil }
        let answers = await store(indices.map { creation(of: orders[$0], by: owner) })
        for (index, answer) in zip(indices, answers) { outcomes[index] = answer }
        return outcomes.map { $0 ?? Self.unanswered }
    }

    /// Stores tasks in one durable write.
    private func store(_ creations: [Dispatcher.Creation]) async -> [Outcome] {
        let haveContent = creations.contains { $0.task.record.content?.storedSize != nil }
        let answers: [Outcome]
        if haveContent {
            let creations = await withContentOfOriginals(creations)
            answers = await dispatcher.create(creations)
            await removeUnusedContents(of: creations, answers)
        } else {
            answers = await dispatcher.create(creations)
        }
        logFailures(answers)
        return answers
    }

    /// Returns the task of an order, to be stored.
    ///
    /// Not inlined, because its values would become a part of the frame of a function that suspends.
    @inline(never)
    private func creation(of order: Order, by owner: String?) -> Dispatcher.Creation {
        let reading = context.wall.reading
        let record = order.task.record(
            id: order.id ?? context.ids.next(), at: reading.time, clockOffset: reading.offset, origin: order.origin)
        let claim = order.task.claim?.stored(for: owner, until: record.createdAt.adding(keyLifetime))
        let new = NewTask(
            record, idempotency: claim, keysExpiredBy: claim.map { _ in keysExpiredBy },
            unlessRetried: order.unlessRetried)
        // Without its content, the request is not the one to send.
        return (task: new, prepared: record.content == nil ? order.task.prepared : nil)
    }

    /// Stores a task.
    func create(_ order: Order, by owner: String?) async -> Outcome {
        await create([order], by: owner).first ?? Self.unanswered
    }

    /// The time by which keys must have expired to have no effect any more.
    private var keysExpiredBy: Timestamp { context.wall.retentionMoment(longest: longestKeyLifetime) }

    /// Stores a task that repeats another one without a document of its own: the repetition of a callback.
    ///
    /// - Parameters:
    ///   - key: The key of the request.
    ///   - unlessRetried: True to refuse the task if the original task was retried already.
    func create(
        _ copy: TaskRecord, key: IdempotencyKey?, by owner: String?, unlessRetried: Bool
    ) async -> Outcome {
        let owned = key.map { Set([IdempotencyKeysInUse.Owned(owner: owner, key: $0)]) } ?? []
        let taken = keysInUse.take(owned)
        defer { keysInUse.release(taken) }
        guard taken == owned else { return .success(.refused(.keyInUse)) }
        let claim = key.map { key in
            TaskClaim(key, onRetryOf: copy.retryOf ?? copy.id)
                .stored(for: owner, until: copy.createdAt.adding(keyLifetime))
        }
        var record = copy
        record.change { $0.clockOffset = context.wall.reading.offset }
        let new = NewTask(
            record, idempotency: claim, keysExpiredBy: claim.map { _ in keysExpiredBy },
            unlessRetried: unlessRetried)
        let answers = await dispatcher.create([(task: new, prepared: nil)])
        logFailures(answers)
        return answers.first ?? Self.unanswered
    }

    /// Returns the earlier result of a document that would no longer be accepted.
    ///
    /// A time in it may have passed since, or the configuration may have changed. A client that repeats a request,
    /// because it has not seen the response, must learn of its task.
    ///
    /// - Parameters:
    ///   - document: A JSON text.
    ///   - content: The SHA-256 of the content that arrives in the same request; `nil` without one.
    ///   - key: Its key; `nil` for the key in the document, if any.
    ///   - owner: The name of the token that owns the key; `nil` without one.
    /// - Returns: `nil` if the key has not created a task of this document.
    func earlier(
        _ document: [UInt8], content: [UInt8]? = nil, key: IdempotencyKey?, maxDepth: Int, by owner: String?
    ) async -> Outcome? {
        replay(await answer(to: document, content: content, key: key, maxDepth: maxDepth, by: owner))
    }

    /// Returns the earlier result of a request to repeat a task that would be refused by now, or whose task is gone.
    ///
    /// - Parameters:
    ///   - original: The task to be repeated.
    ///   - overrides: The content of the request; empty for none.
    ///   - owner: The name of the token that owns the key; `nil` without one.
    /// - Returns: `nil` if the key has not repeated this task with these overrides.
    func earlier(
        retryOf original: TaskID, overrides: [UInt8], key: IdempotencyKey, maxDepth: Int, by owner: String?
    ) async -> Outcome? {
        let claim = Self.claim(key, onRetryOf: original, overrides: overrides, maxDepth: maxDepth)
        guard let claim else { return nil }
        return replay(await answer(to: claim, by: owner))
    }

    /// Returns the claim of a request to repeat a task; `nil` if its content is not an object.
    @inline(never)
    private static func claim(
        _ key: IdempotencyKey, onRetryOf original: TaskID, overrides: [UInt8], maxDepth: Int
    ) -> TaskClaim? {
        guard !overrides.isEmpty else { return TaskClaim(key, onRetryOf: original) }
        guard let read = try? JSONDocument.parse(task: overrides, limits: JSONLimits(maxDepth: maxDepth)),
            read.root.object != nil
        else { return nil }
        return TaskClaim(key, onRetryOf: original, with: read)
    }

    /// Returns the outcome of a request whose key was used before if it is that of the same request.
    ///
    /// A failure is logged.
    private func replay(_ outcome: Outcome?) -> Outcome? {
        switch outcome {
        case .success(.replayed), .success(.replayedRemoved): return outcome
        case .failure:
            logFailures([outcome].compactMap { $0 })
            return outcome
        case .success(.created), .success(.refused), nil: return nil
        }
    }

    /// Returns true if a key has created a task, of the same or another document, or if the store cannot tell.
    func isUsed(_ key: IdempotencyKey, on document: [UInt8], maxDepth: Int, by owner: String?) async -> Bool {
        await answer(to: document, content: nil, key: key, maxDepth: maxDepth, by: owner) != nil
    }

    /// Returns the outcome of a document whose key was used before; `nil` if it was not.
    private func answer(
        to document: [UInt8], content: [UInt8]?, key: IdempotencyKey?, maxDepth: Int, by owner: String?
    ) async -> Outcome? {
        guard key != nil || Self.mayHaveKey(document, maxDepth: maxDepth),
            let read = try? JSONDocument.parse(task: document, limits: JSONLimits(maxDepth: maxDepth)),
            let task = read.root.object,
            let key = key ?? task[TaskClaim.member]?.string.flatMap({ IdempotencyKey($0) })
        else { return nil }
        let claim = TaskClaim(key, on: task, in: read)
        return await answer(to: content.map { claim.covering(contentSHA256: $0) } ?? claim, by: owner)
    }

    /// Returns the outcome of a request whose key was used before; `nil` if it was not.
    private func answer(to claim: TaskClaim, by owner: String?) async -> Outcome? {
        await dispatcher.earlier(
            claim.stored(for: owner, until: context.now().adding(keyLifetime)), keysExpiredBy: keysExpiredBy)
    }

    /// Returns true if a document may have its key as a member; checked without parsing it into a tree, as few
    /// documents have.
    private static func mayHaveKey(_ document: [UInt8], maxDepth: Int) -> Bool {
        let limits = JSONLimits(maxDepth: maxDepth)
        guard let outline = try? JSONOutline.of(document, limits: limits, maxParts: .max) else { return false }
        let name = Array("\"\(TaskClaim.member)\"".utf8)
        return outline.parts.contains { part in
            // A name with escapes may be the member's name.
            part.name.map { document[$0].elementsEqual(name) || document[$0].contains(UInt8(ascii: "\\")) } ?? false
        }
    }

    // MARK: Content that was sent separately

    /// Gives tasks the stored content of those that they repeat; a task whose content is gone waits for its own.
    ///
    /// It is not inlined, so that the frames of those that create tasks do not contain copies of a task's values.
    @inline(never)
    private func withContentOfOriginals(_ creations: [Dispatcher.Creation]) async -> [Dispatcher.Creation] {
        var shared = creations
        for index in shared.indices {
            let record = shared[index].task.record
            guard let original = record.retryOf, let size = record.content?.storedSize, size > 0 else { continue }
            do throws(BodyFilesError) {
                guard let contents = context.storage.contents else {
                    throw BodyFilesError(.missing, "There are no files")
                }
                try await contents.share(original, with: record.id)
            } catch {
                context.logger.warning(
                    "The content of a task cannot be used again",
                    metadata: ["task": "\(original)", "error": "\(error.debugDescription)"])
                shared[index].task.record = record.awaitingContent()
            }
        }
        return shared
    }

    /// Removes the content of tasks that were not created.
    @inline(never)
    private func removeUnusedContents(of creations: [Dispatcher.Creation], _ answers: [Outcome]) async {
        for (creation, answer) in zip(creations, answers) where creation.task.record.content?.storedSize != nil {
            if case .success(.created) = answer { continue }
            await context.removeContent(of: creation.task.record.id)
        }
    }

    private func owned(_ order: Order, by owner: String?) -> IdempotencyKeysInUse.Owned? {
        order.task.claim.map { IdempotencyKeysInUse.Owned(owner: owner, key: $0.key) }
    }

    /// Logs a failure of the store once, even if it affects many tasks.
    private func logFailures(_ answers: [Outcome]) {
        let errors = answers.compactMap { answer in
            if case .failure(let error) = answer { error } else { nil }
        }
        guard let error = errors.first else { return }
        context.logger.error(
            "The store failed to add tasks, or to read the task of an idempotency key",
            metadata: ["error": "\(error.debugDescription)", "tasks": .stringConvertible(errors.count)])
    }

    private static let unanswered = Outcome.failure(
        TaskStoreError(.unexpected, "Creating a task returned no result"))
}
