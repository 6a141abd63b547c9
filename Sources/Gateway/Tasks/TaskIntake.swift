import HTTPServer
import HTTPTypes
import JSON
import Logging
import TaskStore

/// Has accepted tasks stored, each once for its idempotency key.
struct TaskIntake: Sendable {
    let dispatcher: Dispatcher
    let ids: TaskIDGenerator
    let keysInUse: IdempotencyKeysInUse
    /// How long a key is known.
    let keyLifetime: Duration
    let logger: Logger

    /// What became of a task.
    enum Outcome: Sendable {
        /// It is stored.
        case created(TaskRecord)
        /// Its key has made this one before.
        case replayed(TaskRecord)
        /// It is not stored: the problem, and the seconds after which it may be worth trying again.
        case refused(ProblemDetails, retryAfter: Int? = nil)
        /// The store failed; nothing is stored.
        case failed(TaskStoreError)
    }

    /// A task for somebody.
    struct Order: Sendable {
        var task: AcceptedTask
        var origin = AcceptedTask.Origin()
    }

    /// Has tasks stored in one durable write, each by itself.
    ///
    /// - Parameter caller: Whose keys the tasks' are.
    /// - Returns: What became of each, in their order.
    func create(_ orders: [Order], for caller: Caller) async -> [Outcome] {
        let wanted = Set(orders.compactMap { owned($0, by: caller) })
        let taken = keysInUse.take(wanted)
        defer { keysInUse.release(taken) }
        var outcomes: [Outcome?] = orders.map { order in
            guard let owned = owned(order, by: caller), !taken.contains(owned) else { return nil }
            return .refused(
                ProblemDetails(.idempotencyKeyInUse, detail: "the first request with the key is not answered yet"),
                retryAfter: 1)
        }
        let places = outcomes.indices.filter { outcomes[$0] == nil }
        let answers = await dispatcher.create(
            places.map { place in
                let order = orders[place]
                let record = order.task.record(id: ids.next(), origin: order.origin)
                let claim = order.task.claim?.stored(
                    for: caller.tokenName, until: record.createdAt.adding(keyLifetime))
                return (task: NewTask(record, idempotency: claim), prepared: order.task.prepared)
            })
        logFailures(answers)
        for (place, answer) in zip(places, answers) {
            outcomes[place] = outcome(of: answer, orders[place].task.session, for: caller)
        }
        return outcomes.map { $0 ?? Self.unanswered }
    }

    /// Has a task stored.
    func create(_ order: Order, for caller: Caller) async -> Outcome {
        await create([order], for: caller).first ?? Self.unanswered
    }

    /// Has a task stored that is made without a document: the same delivery again.
    func create(_ record: TaskRecord) async -> Outcome {
        let answers = await dispatcher.create([(task: NewTask(record), prepared: nil)])
        logFailures(answers)
        return answers.first.map { outcome(of: $0, record.session, for: .anonymous) } ?? Self.unanswered
    }

    /// What a document has made that would not be accepted any more, as a time in it has passed since or the
    /// configuration has changed: who repeats a request because he has not seen its answer must learn of his task.
    ///
    /// - Parameters:
    ///   - document: A JSON text.
    ///   - key: Its key; `nil` for the one that is a member of it, if any.
    /// - Returns: `nil` when the key has not made a task of this document.
    func earlier(_ document: [UInt8], key: IdempotencyKey?, maxDepth: Int, for caller: Caller) async -> Outcome? {
        guard let task = try? JSONDocument.parse(document, limits: JSONLimits(maxDepth: maxDepth)).root.object,
            let key = key ?? task[TaskClaim.member]?.string.flatMap({ IdempotencyKey($0) })
        else { return nil }
        let now = dispatcher.now()
        let claim = TaskClaim(key, on: task).stored(for: caller.tokenName, until: now.adding(keyLifetime))
        switch await dispatcher.earlier(claim) {
        case .success(.replayed(let record)):
            return outcome(of: .success(.replayed(record)), record.session, for: caller)
        case .failure(let error): return .failed(error)
        case .success, nil: return nil
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
            // The key's owner may have lost the session since.
            guard caller.sees(session: record.session) else {
                return .refused(
                    ProblemDetails(.sessionForbidden, detail: "the token must not use the session of the key's task"))
            }
            return .replayed(record)
        case .success(.keyReused):
            return .refused(
                ProblemDetails(.idempotencyKeyReused, detail: "the key was used before, for a task with other content"))
        case .success(.sessionClosed):
            return .refused(
                ProblemDetails(.sessionClosed, detail: "the session \(session) was closed by an operator"))
        case .success(.queueFull(let pause)):
            return .refused(
                ProblemDetails(
                    .queueFull, detail: "as many tasks of the session \(session) wait as may (limits.max_queued)"),
                retryAfter: pause.wholeSeconds)
        case .failure(let error):
            return .failed(error)
        }
    }

    /// Says once that the store failed, also where it failed many tasks.
    private func logFailures(_ answers: [Result<Dispatcher.CreateAnswer, TaskStoreError>]) {
        let errors = answers.compactMap { answer in
            if case .failure(let error) = answer { error } else { nil }
        }
        guard let error = errors.first else { return }
        logger.error(
            "The store failed to add tasks",
            metadata: ["error": "\(error.debugDescription)", "tasks": "\(errors.count)"])
    }

    private static let unanswered = Outcome.failed(
        TaskStoreError(.unexpected, "Nothing became of a task that was to be created"))
}

extension Duration {
    /// The duration in seconds, rounded up, at least one: as `Retry-After` has it.
    fileprivate var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return max(Int(clamping: seconds) + (attoseconds > 0 ? 1 : 0), 1)
    }
}
