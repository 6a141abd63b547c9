import ErrandLocking
import ErrandSessionCore

/// The preparation of a request by a session, on a thread that may block.
enum RequestPreparation {
    /// The queues on which files are opened, so that no other thread waits for a disk.
    private static let files = SerialQueues(count: 4, label: "errand.uploads")

    /// Has a session check a request and prepare it for sending.
    ///
    /// - Throws: All errors of the request.
    static func prepare(
        _ request: TaskRequest, in session: Session
    ) async throws(RequestProblems) -> PreparedRequest {
        guard request.namesFiles else { return try session.prepare(request) }
        return try await files.perform { () throws(RequestProblems) in try session.prepare(request) }
    }
}

extension TaskRequest {
    /// True if at least a part of the content comes from files.
    var namesFiles: Bool {
        switch body {
        case .file:
            true
        case .parts(let parts):
            parts.contains { part in
                if case .file = part.content { true } else { false }
            }
        case .text, .bytes, .json, .source, nil:
            false
        }
    }
}
