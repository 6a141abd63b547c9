import ErrandHTTPServer
import ErrandJSON
import ErrandTaskStore
import ErrandTime
import HTTPTypes
import Logging

/// Stores accepted tasks, each once for its idempotency key.
struct TaskIntake: Sendable {
    let dispatcher: Dispatcher
    let ids: TaskIDGenerator
    let keysInUse: IdempotencyKeysInUse
    /// The lifetime of an idempotency key.
    let keyLifetime: Duration
    let logger: Logger

    /// The outcome of a request to create a task.
    enum Outcome: Sendable {
        /// The task was stored.
        case created(TaskRecord)
        /// The key has created this task before.
        case replayed(TaskRecord)
        /// The key has created a task before; its retention time is over and it was removed.
        case replayedRemoved(RemovedTask)
        /// The task is refused, with the problem and the seconds after which another try may succeed.
        case refused(ProblemDetails, retryAfter: Int? = nil)
        /// The task to be retried was retried already.
        case alreadyRetried
        /// The store failed; nothing is stored.
        case failed(TaskStoreError)
    }

    /// A request to create an accepted task.
    struct Order: Sendable {
        var task: AcceptedTask
        var origin = AcceptedTask.Origin()
        /// True to refuse the task if the original task was retried already.
        var unlessRetried = false
    }

    /// Stores tasks in one durable write; each succeeds or fails on its own.
    ///
    /// - Parameter caller: The owner of the idempotency keys.
    /// - Returns: The outcome of each task, in the same order.
    func create(_ orders: [Order], for caller: Caller) async -> [Outcome] {
        let wanted = Set(orders.compactMap { owned($0, by: caller) })
        let taken = keysInUse.take(wanted)
        defer { keysInUse.release(taken) }
        var outcomes: [Outcome?] = orders.map { order in
            guard let owned = owned(order, by: caller), !taken.contains(owned) else { return nil }
            return .refused(
                ProblemDetails(.idempotencyKeyInUse, detail: "the first request with the key is still being processed"),
                retryAfter: 1)
        }
        let places = outcomes.indices.filter { outcomes[$0] == nil }
        let answers = await dispatcher.create(
            places.map { place in
                let order = orders[place]
                let record = order.task.record(id: ids.next(), at: dispatcher.now(), origin: order.origin)
                let claim = order.task.claim?.stored(
                    for: caller.tokenName, until: record.createdAt.adding(keyLifetime))
                let new = NewTask(record, idempotency: claim, unlessRetried: order.unlessRetried)
                return (task: new, prepared: order.task.prepared)
            })
        logFailures(answers)
        for (place, answer) in zip(places, answers) {
            outcomes[place] = outcome(of: answer, orders[place].task.session, for: caller)
        }
        return outcomes.map { $0 ?? Self.unanswered }
    }

    /// Stores a task.
    func create(_ order: Order, for caller: Caller) async -> Outcome {
        await create([order], for: caller).first ?? Self.unanswered
    }

    /// Stores a task that was created without a document: the repetition of a callback.
    func create(_ record: TaskRecord, unlessRetried: Bool = false) async -> Outcome {
        let new = NewTask(record, unlessRetried: unlessRetried)
        let answers = await dispatcher.create([(task: new, prepared: nil)])
        logFailures(answers)
        return answers.first.map { outcome(of: $0, record.session, for: .anonymous) } ?? Self.unanswered
    }

    /// Returns the earlier result of a document that would no longer be accepted.
    ///
    /// A time in it may have passed since, or the configuration may have changed. A client that repeats a request,
    /// because it has not seen the response, must learn of its task.
    ///
    /// - Parameters:
    ///   - document: A JSON text.
    ///   - key: Its key; `nil` for the key in the document, if any.
    /// - Returns: `nil` if the key has not created a task of this document.
    func earlier(_ document: [UInt8], key: IdempotencyKey?, maxDepth: Int, for caller: Caller) async -> Outcome? {
        guard key != nil || Self.mayHaveKey(document, maxDepth: maxDepth),
            let read = try? JSONDocument.parse(task: document, limits: JSONLimits(maxDepth: maxDepth)),
            let task = read.root.object,
            let key = key ?? task[TaskClaim.member]?.string.flatMap({ IdempotencyKey($0) })
        else { return nil }
        let now = dispatcher.now()
        let claim = TaskClaim(key, on: task, in: read).stored(for: caller.tokenName, until: now.adding(keyLifetime))
        switch await dispatcher.earlier(claim) {
        case .success(.replayed(let record)):
            return outcome(of: .success(.replayed(record)), record.session, for: caller)
        case .success(.replayedRemoved(let task)):
            return outcome(of: .success(.replayedRemoved(task)), task.session, for: caller)
        case .failure(let error): return .failed(error)
        case .success, nil: return nil
        }
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

    private func owned(_ order: Order, by caller: Caller) -> IdempotencyKeysInUse.Owned? {
        order.task.claim.map { IdempotencyKeysInUse.Owned(owner: caller.tokenName, key: $0.key) }
    }

    private func outcome(
        of answer: Result<Dispatcher.CreateAnswer, TaskStoreError>, _ session: String, for caller: Caller
    ) -> Outcome {
        switch answer {
        case .success(.created(let record)):
            return .created(record)
        case .success(.replayed(let record)):
            return caller.sees(session: record.session) ? .replayed(record) : Self.hidden
        case .success(.replayedRemoved(let task)):
            return caller.sees(session: task.session) ? .replayedRemoved(task) : Self.hidden
        case .success(.keyReused):
            return .refused(
                ProblemDetails(.idempotencyKeyReused, detail: "the key was used before for a task with other content"))
        case .success(.alreadyRetried):
            return .alreadyRetried
        case .success(.sessionClosed):
            return .refused(
                ProblemDetails(.sessionClosed, detail: "the session \(session) was closed by an operator"))
        case .success(.queueFull(let pause)):
            return .refused(
                ProblemDetails(
                    .queueFull, detail: "the queue of the session \(session) is full (limits.max_queued)"),
                retryAfter: Int(max(pause.wholeSecondsRoundedUp, 1)))
        case .failure(let error):
            return .failed(error)
        }
    }

    /// Logs a failure of the store once, even if it affects many tasks.
    private func logFailures(_ answers: [Result<Dispatcher.CreateAnswer, TaskStoreError>]) {
        let errors = answers.compactMap { answer in
            if case .failure(let error) = answer { error } else { nil }
        }
        guard let error = errors.first else { return }
        logger.error(
            "The store failed to add tasks",
            metadata: ["error": "\(error.debugDescription)", "tasks": "\(errors.count)"])
    }

    /// The owner of the key may have lost access to the session since.
    private static let hidden = Outcome.refused(
        ProblemDetails(.sessionForbidden, detail: "the token must not use the session of the key's task"))

    private static let unanswered = Outcome.failed(
        TaskStoreError(.unexpected, "Creating a task returned no result"))
}
