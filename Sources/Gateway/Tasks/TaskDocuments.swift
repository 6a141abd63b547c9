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
        try read(specification) { task, document, problems in
            var request = TaskRequestReader(document: document).read(&task, problems)
            request.idempotencyKey = IdempotencyKey.read(&task)?.text
            return request
        }
    }

    /// What a task wants otherwise than its session, of when it is tried again.
    static func retry(of specification: TaskSpecification) throws(SessionError) -> RetryOverrides {
        try read(specification) { task, _, _ in RetryReader.read(&task) }
    }

    private static func read<Part>(
        _ specification: TaskSpecification, _ part: (inout JSONObjectReader, JSONDocument, JSONProblems) -> Part
    ) throws(SessionError) -> Part {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(specification.task)
        } catch {
            throw unreadable
        }
        let problems = JSONProblems()
        guard var task = JSONObjectReader(document.root, reporting: problems) else { throw unreadable }
        let read = part(&task, document, problems)
        guard problems.problems.isEmpty else { throw unreadable }
        return read
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

    /// Whether what goes upstream carries an `Idempotency-Key`, by which the upstream knows it when it comes again.
    static func carriesIdempotencyKey(_ specification: TaskSpecification) -> Bool {
        do {
            let headers = try JSONDocument.parse(specification.request).root.object?["headers"]?.object
            return headers?.members.contains { HTTPField.Name("\($0.key)") == .idempotencyKey } ?? false
        } catch {
            return false
        }
    }
}
