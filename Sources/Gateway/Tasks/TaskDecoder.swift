import Configuration
import JSON
import SessionCore

/// Reads what a client wants created, and has the session judge it: every fault of the document is found at once.
package struct TaskDecoder: Sendable {
    let sessions: SessionCatalog
    let caller: Caller
    let maxDepth: Int

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - sessions: Those that there are.
    ///   - caller: Who wants the task: it may name his sessions only.
    ///   - maxDepth: How deep documents may nest.
    package init(sessions: SessionCatalog, caller: Caller, maxDepth: Int) {
        self.sessions = sessions
        self.caller = caller
        self.maxDepth = maxDepth
    }

    /// What a document may hold besides, in a later version: refused by name, never ignored.
    private static let unavailable: [String: String] = [
        "download": "download tasks are not available in this version",
        "ordering_key": unavailable("ordering"),
        "not_before": unavailable("scheduling"),
        "delay": unavailable("scheduling"),
        "deadline": unavailable("scheduling"),
        "retry": unavailable("retrying"),
        "callback": unavailable("callbacks"),
        "idempotency_key": unavailable("idempotency keys"),
    ]

    private static let laterKinds = [
        "upload": unavailable("uploading"),
        "download": unavailable("downloading"),
    ]

    private static func unavailable(_ what: String) -> String {
        "\(what) is not available in this version"
    }

    /// Reads a document.
    ///
    /// - Throws: Everything that is wrong with it.
    package func decode(_ bytes: [UInt8]) async throws(TaskRejection) -> AcceptedTask {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(bytes, limits: JSONLimits(maxDepth: maxDepth))
        } catch {
            throw .malformed(error)
        }
        let problems = JSONProblems()
        guard var task = JSONObjectReader(document.root, reporting: problems) else {
            throw .invalid(problems.problems)
        }
        let session = try session(&task)
        _ = task.choice("kind", Kind.self, refusing: Self.laterKinds)
        let start = task.choice("start", Start.self) ?? .now
        let request = TaskRequestReader(document: document).read(&task, problems)
        let priority = task.integer("priority", in: 0...9) ?? 5
        let labels = TaskLabels.read(&task)
        task.finish(refusing: Self.unavailable)
        var prepared: PreparedRequest?
        if let session {
            do throws(RequestProblems) {
                prepared = try await RequestPreparation.prepare(request, in: session)
            } catch {
                for problem in error.problems where problems.isNew(problem.pointer) {
                    problems.report(JSONPointer(problem.pointer), problem.detail)
                }
            }
        }
        guard problems.problems.isEmpty, let session, let prepared else { throw .invalid(problems.problems) }
        return AcceptedTask(
            session: session.name, priority: priority, labels: labels, startsSuspended: start == .suspended,
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
