import Configuration
import JSON
import SessionCore

/// Reads what a client wants created, and has the session judge it: every fault of the document is found at once.
struct TaskDecoder {
    let sessions: SessionCatalog
    let maxDepth: Int

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

    func decode(_ bytes: [UInt8]) async throws(TaskRejection) -> AcceptedTask {
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
        let session = session(&task)
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

    private func session(_ task: inout JSONObjectReader) -> Session? {
        let isGiven = task.value("session").map { !$0.isNull } ?? false
        let name = task.string("session")
        if let name = name ?? (isGiven ? nil : sessions.defaultName) {
            guard let session = sessions[name] else {
                let meant = closestMatch(to: name, among: sessions.names)
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
