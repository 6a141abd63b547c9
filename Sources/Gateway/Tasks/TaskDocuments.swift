import HTTPTypes
import JSON
import SessionCore
import TaskStore

/// Reads back what is stored of a task.
enum TaskDocuments {
    /// The request that a task asks for.
    ///
    /// The document was judged when the task came in.
    static func request(of specification: TaskSpecification) throws(SessionError) -> TaskRequest {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(specification.task)
        } catch {
            throw unreadable
        }
        let problems = JSONProblems()
        guard var task = JSONObjectReader(document.root, reporting: problems) else { throw unreadable }
        let request = TaskRequestReader(document: document).read(&task, problems)
        guard problems.problems.isEmpty else { throw unreadable }
        return request
    }

    private static let unreadable = SessionError(.internal, "The stored task cannot be read")

    /// The method of the request, as it was decided when the task came in; POST, the careful guess, when the document
    /// does not tell.
    static func method(of specification: TaskSpecification) -> HTTPRequest.Method {
        do {
            let name = try JSONDocument.parse(specification.request).root.object?["method"]?.string
            return name.flatMap { HTTPRequest.Method($0) } ?? .post
        } catch {
            return .post
        }
    }
}
