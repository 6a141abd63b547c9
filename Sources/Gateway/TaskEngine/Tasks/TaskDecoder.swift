import ErrandConfiguration
import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
package import ErrandTime

/// Decodes a client's task and has its session check it; reports all errors of the document at once.
package struct TaskDecoder: Sendable {
    let sessions: SessionCatalog
    let caller: Caller
    let maxDepth: Int
    let now: @Sendable () -> Timestamp

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - sessions: The existing sessions.
    ///   - caller: The caller, whose visible sessions the task may name.
    ///   - maxDepth: The maximum nesting depth of documents.
    ///   - now: The clock that the task's times are compared with.
    package init(
        sessions: SessionCatalog, caller: Caller, maxDepth: Int,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.sessions = sessions
        self.caller = caller
        self.maxDepth = maxDepth
        self.now = now
    }

    /// The default priority: 0 to 9, higher first.
    static let defaultPriority = 5

    /// The maximum number of reported errors of a document.
    package static let maxFaults = 100

    /// Decodes the content of a request.
    ///
    /// - Throws: All errors of the document.
    package func decode(_ bytes: [UInt8]) async throws(TaskRejection) -> AcceptedTask {
        try await decode(bytes, as: .single)
    }

    /// Decodes a document.
    ///
    /// - Parameters:
    ///   - form: The form of the document.
    ///   - key: The client's key for the task, if it is not part of the document.
    ///   - maxFaults: The maximum number of reported errors, at least one.
    /// - Throws: All errors of the document.
    package func decode(
        _ bytes: [UInt8], as form: TaskForm, key: IdempotencyKey? = nil, maxFaults: Int = TaskDecoder.maxFaults
    ) async throws(TaskRejection) -> AcceptedTask {
        let document = try JSONDocument.received(task: bytes, maxDepth: maxDepth)
        return try await decode(document.root, of: document, as: form, key: key, maxFaults: maxFaults)
    }

    /// Decodes a task that is part of a document.
    ///
    /// - Parameters:
    ///   - value: The task.
    ///   - document: The document that contains it.
    ///   - pointer: The place of the task in the document, for its errors.
    ///   - form: The form of the document.
    ///   - key: The client's key for the task, if it is not part of the document.
    ///   - maxFaults: The maximum number of reported errors, at least one.
    /// - Throws: All errors of the task.
    func decode(
        _ value: JSONValue, of document: JSONDocument, at pointer: JSONPointer = JSONPointer(), as form: TaskForm,
        key: IdempotencyKey? = nil, maxFaults: Int = TaskDecoder.maxFaults
    ) async throws(TaskRejection) -> AcceptedTask {
        let draft = try draft(
            of: value, in: document, at: pointer, as: form, key: key, reporting: JSONProblems(limit: maxFaults))
        if draft.request.namesFiles { await draft.prepareWithFiles() } else { draft.prepare() }
        return try draft.accepted()
    }

    /// Reads all members of a task.
    ///
    /// - Throws: The reason for which nothing of it can be checked.
    @inline(never)
    private func draft(
        of value: JSONValue, in document: JSONDocument, at pointer: JSONPointer, as form: TaskForm,
        key: IdempotencyKey?, reporting problems: JSONProblems
    ) throws(TaskRejection) -> TaskDraft {
        guard let object = value.object, var task = JSONObjectReader(value, at: pointer, reporting: problems) else {
            throw .invalid([JSONProblem(pointer, "expected an object, found \(value.kindDescription)")])
        }
        let session = try session(&task)
        let kind = task.choice("kind", ClientTaskKind.self, refusing: ClientTaskKind.refused) ?? .data
        let start = task.choice("start", Start.self) ?? .now
        var request = kind.handler.read(&task, of: document, for: session, problems)
        let priority = task.integer("priority", in: 0...9) ?? Self.defaultPriority
        let labels = TaskLabels.read(&task)
        let times = TaskTimes.read(&task, of: form, at: now())
        let orderingKey = OrderingKey.read(&task)
        let bytesPerSecond = task.integer("bytes_per_second", in: TaskEditReader.bytesPerSecond)
        _ = RetryReader.read(&task, over: session?.configuration.retry)
        let callback = try CallbackReader.read(&task, sessions: sessions, caller: caller)
        let key = form == .batchItem ? IdempotencyKey.read(&task) : key
        request.idempotencyKey = key?.text
        let awaitsContent = kind.handler.awaitsContent(request)
        if awaitsContent, form == .schedule {
            problems.report(
                pointer.appending("body").appending("content"),
                "a schedule needs the content of its tasks; write file, text, json, base64 or parts")
        }
        task.finish(refusing: form.refused)
        let claim = key.map { TaskClaim($0, on: object, in: document) }
        let values = AcceptedTask.Values(
            kind: kind.kind, priority: priority, labels: labels, startsSuspended: start == .suspended, times: times,
            orderingKey: orderingKey, bytesPerSecond: bytesPerSecond.map { Int64($0) }, callback: callback?.document,
            claim: claim,
            document: claim?.document(of: object, in: document) ?? Array(document.slice(of: value)),
            content: awaitsContent ? .awaited : nil)
        return TaskDraft(values, of: request, for: session, at: pointer, reporting: problems)
    }

    /// Finds the session of a task.
    ///
    /// - Throws: ``TaskRejection/forbidden(_:)`` for every name that the caller must not use, existing or not, so that
    ///   the caller cannot find out which sessions exist.
    private func session(_ task: inout JSONObjectReader) throws(TaskRejection) -> Session? {
        let isGiven = task.value("session").map { !$0.isNull } ?? false
        let named = task.string("session")
        if let name = named ?? (isGiven ? nil : sessions.defaultName) {
            guard caller.sees(session: name) else { throw .forbidden(named) }
            guard name != SessionConfiguration.callbacksName else {
                task.report(
                    "session", "the session \"\(name)\" is reserved for callbacks; choose another session")
                return nil
            }
            guard let session = sessions[name] else {
                let meant = closestMatch(to: name, among: sessions.names.filter(caller.sees))
                let hint = meant.map { "; did you mean \"\($0)\"?" } ?? ""
                task.report("session", "unknown session \"\(name)\"\(hint)")
                return nil
            }
            return session
        }
        if !isGiven { task.report("session", "a task needs a session, as there is no default session") }
        return nil
    }

    private enum Start: String, CaseIterable {
        case now
        case suspended
    }
}

extension JSONDocument {
    /// Reads a text that is a task, or has one.
    ///
    /// Of `body.json` only the bytes are used, which go upstream as the client wrote them: whatever RFC 8259 allows is
    /// taken there, half of a surrogate pair too. Anywhere else such a half is an error.
    ///
    /// - Parameters:
    ///   - place: The names that lead from the top to the task; empty when it is the text.
    ///   - limits: How deep arrays and objects may nest.
    static func parse(
        task bytes: [UInt8], at place: [String] = [], limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) -> JSONDocument {
        try parse(bytes, limits: limits, verbatim: place.isEmpty ? verbatimPlace : place + verbatimPlace)
    }

    private static let verbatimPlace = ["body", "json"]
}

/// The `ordering_key` of a task: tasks of a session with the same key run one at a time.
enum OrderingKey {
    /// The longest key, in characters (Unicode code points).
    static let lengthLimit = 255

    /// Reads the key from a task.
    static func read(_ task: inout JSONObjectReader) -> String? {
        task.parsed("ordering_key", expecting: "a string of 1 to \(lengthLimit) characters") { value in
            guard let key = value.string, (1...lengthLimit).contains(key.unicodeScalars.count) else { return nil }
            return key
        }
    }
}
