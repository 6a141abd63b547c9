import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import HTTPTypes

/// Decodes the stored documents of a task.
enum TaskDocuments {
    /// Returns the request of a task.
    ///
    /// The document was checked when the task was accepted.
    static func request(of specification: TaskSpecification) throws(SessionError) -> TaskRequest {
        try read(specification) { task, document, problems in
            var request = TaskRequestReader(document: document, takesContentLater: true).read(&task, problems)
            request.idempotencyKey = IdempotencyKey.read(&task)?.text
            return request
        }
    }

    /// Returns the file of a download.
    static func download(of specification: TaskSpecification) throws(SessionError) -> DownloadSpecification {
        try read(specification) { task, _, _ in DownloadSpecification.read(&task) }
    }

    /// Returns the task's differences from the session's retry configuration.
    static func retry(of specification: TaskSpecification) throws(SessionError) -> RetryOverrides {
        try read(specification) { task, _, _ in RetryReader.read(&task) }
    }

    private static func read<Part>(
        _ specification: TaskSpecification, _ part: (inout JSONObjectReader, JSONDocument, JSONProblems) -> Part
    ) throws(SessionError) -> Part {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(task: specification.task)
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

    /// The method of the request as decided when the task was accepted; POST, the conservative guess, if the document
    /// cannot be read.
    static func method(of specification: TaskSpecification) -> HTTPRequest.Method {
        let name = JSONObject(stored: specification.request)?["method"]?.string
        return name.flatMap { HTTPRequest.Method($0) } ?? .post
    }

    /// Returns true if the request has an `Idempotency-Key`, by which the upstream recognizes a repeated request.
    static func carriesIdempotencyKey(_ specification: TaskSpecification) -> Bool {
        let headers = JSONObject(stored: specification.request)?["headers"]?.object
        return headers?.members.contains { HTTPField.Name("\($0.key)") == .idempotencyKey } ?? false
    }
}
