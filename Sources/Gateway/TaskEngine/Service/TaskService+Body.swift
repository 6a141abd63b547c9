import ErrandBodyFiles
import ErrandSessionCore
package import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// The bodies of running tasks.
extension TaskService {
    /// Follows the body of a task, from its first byte on, and waits until the content of an acceptable response begins
    /// to arrive.
    ///
    /// - Parameters:
    ///   - record: The task.
    ///   - timeout: The longest wait.
    package func followBody(
        of record: TaskRecord, timeout: Duration
    ) async throws(TaskStoreError) -> BodyFollowOutcome {
        let end = context.monotonic.now.advanced(by: timeout)
        var record = record
        // Content that has ended, or cannot be read, is tried once: the next is that of another response.
        var tried: BodySpool?
        while true {
            if record.state.isTerminal { return .ended(record) }
            guard record.kind.handler.keepsBody(of: record) else { return .becomesFile }
            if let content = followedContent(of: record, besides: tried) {
                tried = content.spool
                guard let admission = context.bodyFollowers.admit() else { return .full }
                if let body = await begin(content, of: record, admission) { return .following(body) }
            }
            let left = context.monotonic.now.duration(to: end)
            guard left > .zero else { return .notYet(record) }
            guard try await waitForContent(of: record, besides: tried, timeout: left) else { return .notYet(record) }
            guard let current = try await task(record.id) else { return .noTask }
            record = current
        }
    }

    private func followedContent(
        of record: TaskRecord, besides tried: BodySpool?
    ) -> (spool: BodySpool, contentType: String?)? {
        let content = (dispatcher.attempt(of: record.id)?.control.sink as? any FollowedSink)?.followed
        return content?.spool === tried ? nil : content
    }

    /// Begins to follow content; `nil` if it has ended meanwhile, or cannot be read.
    private func begin(
        _ content: (spool: BodySpool, contentType: String?), of record: TaskRecord, _ admission: BodyFollowers.Admission
    ) async -> FollowedBody? {
        guard let reader = await content.spool.follow() else { return nil }
        // Some content has arrived: this does not wait long. Without the first bytes nothing was sent, and the client
        // can follow other content.
        guard let first = try? await reader.read(at: 0, maxBytes: FollowedBody.pieceBytes) else { return nil }
        return FollowedBody(
            of: record.id, contentType: content.contentType, reader: reader, first: first, admission: admission,
            context: context)
    }

    /// Waits until content arrives or the task changes.
    ///
    /// - Returns: False if the gateway closes.
    private func waitForContent(
        of record: TaskRecord, besides tried: BodySpool?, timeout: Duration
    ) async throws(TaskStoreError) -> Bool {
        do {
            try await context.watchers.wait(
                for: record.id, until: .changedOrReceiving(from: record.revision), timeout: timeout
            ) {
                guard followedContent(of: record, besides: tried) == nil else { return nil }
                // A read that fails now does not end the wait.
                return try? await context.task(record.id)
            }
            return true
        } catch {
            guard !Task.isCancelled else { throw .canceled }
            return false
        }
    }
}

/// The outcome of a request to follow the body of a task.
package enum BodyFollowOutcome: Sendable {
    /// The body, whose content is arriving.
    case following(FollowedBody)
    /// The task has ended.
    case ended(TaskRecord)
    /// No content has arrived within the time.
    case notYet(TaskRecord)
    /// The content becomes a file, which cannot be followed.
    case becomesFile
    /// Too many clients follow bodies.
    case full
    /// The task does not exist.
    case noTask
}
