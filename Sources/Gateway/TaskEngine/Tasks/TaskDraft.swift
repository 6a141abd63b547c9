import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore

/// A task whose members are read, while its session checks the request.
///
/// A reference, because the functions that check it may suspend: each of them would keep a copy of its many values.
final class TaskDraft {
    /// The request that the session checks.
    let request: TaskRequest
    private let session: Session?
    private let pointer: JSONPointer
    private let problems: JSONProblems
    private let values: AcceptedTask.Values
    private var prepared: PreparedRequest?

    /// Creates a draft.
    ///
    /// - Parameters:
    ///   - session: The session of the task; `nil` if it names none that exists, which is reported.
    ///   - pointer: The place of the task in its document.
    ///   - problems: The errors of the document.
    init(
        _ values: AcceptedTask.Values, of request: TaskRequest, for session: Session?, at pointer: JSONPointer,
        reporting problems: JSONProblems
    ) {
        self.session = session
        self.request = request
        self.pointer = pointer
        self.problems = problems
        self.values = values
    }

    /// Has the session check a request without files.
    func prepare() {
        guard let session else { return }
        do throws(RequestProblems) {
            prepared = try session.prepare(request)
        } catch {
            report(error)
        }
    }

    /// Has the session check a request whose content comes from files, on a thread that may block.
    func prepareWithFiles() async {
        guard let session else { return }
        do throws(RequestProblems) {
            prepared = try await RequestPreparation.prepare(request, in: session)
        } catch {
            report(error)
        }
    }

    /// Returns the task if it is valid.
    ///
    /// - Throws: All errors of the task.
    func accepted() throws(TaskRejection) -> AcceptedTask {
        guard problems.problems.isEmpty, let session, let prepared else { throw .invalid(problems.problems) }
        return AcceptedTask(values, session: session.name, prepared: prepared)
    }

    private func report(_ refusal: RequestProblems) {
        for problem in refusal.problems where !problems.isFull {
            let place = pointer.tokens + problem.pointer
            if problems.isNew(place) { problems.report(JSONPointer(place), problem.detail) }
        }
    }
}

extension JSONProblems {
    /// Returns true if no error is reported at a place: for a member that could not be read, the session's error adds
    /// nothing.
    fileprivate func isNew(_ tokens: [String]) -> Bool {
        !problems.contains { $0.pointer.tokens == tokens }
    }
}
