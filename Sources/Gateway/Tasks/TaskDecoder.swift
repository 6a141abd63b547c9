import Configuration
import JSON
import SessionCore
package import TaskStore

/// Reads what a client wants created, and has the session judge it: every fault of the document is found at once.
package struct TaskDecoder: Sendable {
    let sessions: SessionCatalog
    let caller: Caller
    let maxDepth: Int
    let now: @Sendable () -> Timestamp

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - sessions: Those that there are.
    ///   - caller: Who wants the task: it may name his sessions only.
    ///   - maxDepth: How deep documents may nest.
    ///   - now: The clock, which the task's times are compared with.
    package init(
        sessions: SessionCatalog, caller: Caller, maxDepth: Int,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.sessions = sessions
        self.caller = caller
        self.maxDepth = maxDepth
        self.now = now
    }

    /// The priority of a task that names none: 0 to 9, higher first.
    static let defaultPriority = 5

    private static let laterKinds = [
        "upload": "uploading is not available in this version",
        "download": "downloading is not available in this version",
        "callback": "deliveries are made by the gateway; a task has a callback",
    ]

    /// Reads the content of a request.
    ///
    /// - Throws: Everything that is wrong with it.
    package func decode(_ bytes: [UInt8]) async throws(TaskRejection) -> AcceptedTask {
        try await decode(bytes, as: .single)
    }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - form: What the document is.
    ///   - key: The client's key for the task, when it came beside the document.
    /// - Throws: Everything that is wrong with it.
    func decode(
        _ bytes: [UInt8], as form: TaskForm, key: IdempotencyKey? = nil
    ) async throws(TaskRejection) -> AcceptedTask {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(bytes, limits: JSONLimits(maxDepth: maxDepth))
        } catch {
            throw .malformed(error)
        }
        return try await decode(document.root, of: document, as: form, key: key)
    }

    /// Reads a task that is part of a document.
    ///
    /// - Parameters:
    ///   - value: The task.
    ///   - document: What it stands in.
    ///   - pointer: Where it stands, for what is told of its faults.
    ///   - form: What the document is.
    ///   - key: The client's key for the task, when it came beside the document.
    /// - Throws: Everything that is wrong with it.
    func decode(
        _ value: JSONValue, of document: JSONDocument, at pointer: JSONPointer = JSONPointer(), as form: TaskForm,
        key: IdempotencyKey? = nil
    ) async throws(TaskRejection) -> AcceptedTask {
        let problems = JSONProblems()
        guard let object = value.object, var task = JSONObjectReader(value, at: pointer, reporting: problems) else {
            throw .invalid([JSONProblem(pointer, "expected an object, found \(value.kindDescription)")])
        }
        let session = try session(&task)
        _ = task.choice("kind", Kind.self, refusing: Self.laterKinds)
        let start = task.choice("start", Start.self) ?? .now
        var request = TaskRequestReader(document: document).read(&task, problems)
        let priority = task.integer("priority", in: 0...9) ?? Self.defaultPriority
        let labels = TaskLabels.read(&task)
        let times = TaskTimes.read(&task, of: form, at: now())
        let orderingKey = OrderingKey.read(&task)
        _ = RetryReader.read(&task)
        let callback = try CallbackReader.read(&task, sessions: sessions, caller: caller)
        let key = form == .batchItem ? IdempotencyKey.read(&task) : key
        request.idempotencyKey = key?.text
        task.finish(refusing: form.refused)
        var prepared: PreparedRequest?
        if let session {
            do throws(RequestProblems) {
                prepared = try await RequestPreparation.prepare(request, in: session)
            } catch {
                for problem in error.problems where problems.isNew(pointer.tokens + problem.pointer) {
                    problems.report(JSONPointer(pointer.tokens + problem.pointer), problem.detail)
                }
            }
        }
        guard problems.problems.isEmpty, let session, let prepared else { throw .invalid(problems.problems) }
        let claim = key.map { TaskClaim($0, on: object) }
        return AcceptedTask(
            session: session.name, priority: priority, labels: labels, startsSuspended: start == .suspended,
            times: times, orderingKey: orderingKey, callback: callback?.document, claim: claim,
            document: claim?.document(of: object, in: document) ?? Array(document.slice(of: value)),
            prepared: prepared)
    }

    /// Finds the session.
    ///
    /// - Throws: ``TaskRejection/forbidden(_:)`` for every name that the caller must not use, whether or not there is
    ///   such a session: he does not learn which there are.
    private func session(_ task: inout JSONObjectReader) throws(TaskRejection) -> Session? {
        let isGiven = task.value("session").map { !$0.isNull } ?? false
        let named = task.string("session")
        if let name = named ?? (isGiven ? nil : sessions.defaultName) {
            guard caller.sees(session: name) else { throw .forbidden(named) }
            guard name != SessionConfiguration.callbacksName else {
                task.report(
                    "session", "the session \"\(name)\" carries the callbacks of tasks, and no task of a client")
                return nil
            }
            guard let session = sessions[name] else {
                let meant = closestMatch(to: name, among: sessions.names.filter(caller.sees))
                let hint = meant.map { "; did you mean \"\($0)\"?" } ?? ""
                task.report("session", "there is no session \"\(name)\"\(hint)")
                return nil
            }
            return session
        }
        if !isGiven { task.report("session", "a task needs a session; there is no default one") }
        return nil
    }

    private enum Kind: String, CaseIterable {
        case data
    }

    private enum Start: String, CaseIterable {
        case now
        case suspended
    }
}

extension JSONProblems {
    /// Whether nothing has been reported at this place: the session's view of a member that could not be read adds
    /// nothing.
    fileprivate func isNew(_ tokens: [String]) -> Bool {
        !problems.contains { $0.pointer.tokens == tokens }
    }
}
