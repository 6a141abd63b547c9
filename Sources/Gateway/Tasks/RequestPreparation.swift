import Dispatch
import SessionCore

/// Has a session prepare a request, where that may take as long as it does.
enum RequestPreparation {
    /// Where files are opened, so that no other thread waits for a disk.
    private static let files = DispatchQueue(label: "errand.uploads", attributes: .concurrent)

    /// Has a session judge a request and make what goes to the wire.
    ///
    /// - Throws: Everything that is wrong with it.
    static func prepare(
        _ request: TaskRequest, in session: Session
    ) async throws(RequestProblems) -> PreparedRequest {
        guard request.namesFiles else { return try session.prepare(request) }
        let result = await withCheckedContinuation { continuation in
            files.async {
                continuation.resume(
                    returning: Result { () throws(RequestProblems) in try session.prepare(request) })
            }
        }
        return try result.get()
    }
}

extension TaskRequest {
    /// Its content comes from files, some of it at least.
    fileprivate var namesFiles: Bool {
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
