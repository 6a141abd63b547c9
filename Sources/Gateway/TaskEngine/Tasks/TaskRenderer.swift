package import ErrandJSON
import ErrandTaskAdmission
package import ErrandTaskStore
import ErrandText
import ErrandTime
import ErrandTransfer

/// Writes a task as clients see it.
///
/// Stored documents are copied as they are, without decoding and encoding them again.
package enum TaskRenderer {
    /// The maximum size of an object in a list, in bytes; larger ones are replaced by `object_omitted`.
    static let listedObjectBytes = 8192

    /// The amount of an object that is written.
    package enum View: Sendable {
        /// The whole object, as far as the store keeps it inline.
        case full
        /// At most ``TaskRenderer/listedObjectBytes``.
        case listed
    }

    /// Returns the task as JSON.
    ///
    /// - Parameters:
    ///   - live: The part of its state that is not stored.
    ///   - members: The members of the document.
    ///   - details: The parts that were read for this document.
    package static func bytes(
        of record: TaskRecord, live: LiveTaskState, view: View, members: TaskMembers = .all,
        details: TaskDetails = TaskDetails()
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity(for: record, view: view, members: members))
        write(record, live: live, view: view, members: members, details: details, to: &writer)
        return writer.bytes
    }

    /// Returns the approximate size of a task: its stored documents, and the rest, which seldom exceeds 1.5 KiB.
    private static func capacity(for record: TaskRecord, view: View, members: TaskMembers) -> Int {
        var size = members == .all ? 1536 : 512
        if members.contains(.request) { size += record.specification.request.count }
        if members.contains(.attempts) { size += record.result.attempts.count }
        if members.contains(.error) { size += record.result.error?.count ?? 0 }
        guard members.contains(.response) else { return size }
        size += record.result.response?.count ?? 0
        if case .bytes(let bytes) = object(of: record, view: view) { size += bytes.count }
        return size
    }

    /// Writes the task as a JSON object.
    package static func write(
        _ record: TaskRecord, live: LiveTaskState, view: View, members: TaskMembers = .all,
        details: TaskDetails = TaskDetails(), to writer: inout JSONWriter
    ) {
        let path = "/v1/tasks/\(record.id)"
        writer.beginObject()
        for member in TaskMember.inOrder where members.contains(member) {
            writer.member(member.name)
            switch member {
            case .id: writer.string(record.id)
            case .session: writer.string(record.session)
            case .kind: writer.string(record.kind.rawValue)
            case .state: writer.string(record.state.rawValue)
            case .done: writer.bool(record.state.isTerminal)
            case .revision: writer.int(record.revision)
            case .createdAt: writer.string(record.createdAt)
            case .updatedAt: writer.string(record.updatedAt)
            case .notBefore: writer.string(record.notBefore)
            case .nextAttemptAt: writer.string(record.nextAttemptAt)
            case .deadline: writer.string(record.deadline)
            case .startedAt: writer.string(record.startedAt)
            case .finishedAt: writer.string(record.finishedAt)
            case .expiresAt: writer.string(record.expiresAt)
            case .hold: writer.string(record.awaitsContent ? "content" : live.waitReason?.rawValue)
            case .request: writer.raw(record.specification.request)
            case .content: write(record.content, isDone: record.state.isTerminal, to: &writer)
            case .progress: write(live.progress ?? record.finalProgress, rates: live.rates, to: &writer)
            case .attempts:
                writer.beginArray()
                if !record.result.attempts.isEmpty { writer.raw(record.result.attempts) }
                writer.endArray()
            case .response: writeResponse(of: record, path: path, view: view, to: &writer)
            case .error: writeError(of: record, path: path, to: &writer)
            case .resume: writeResume(of: record, details.resumableBytes, to: &writer)
            case .labels: write(record.labels, to: &writer)
            case .priority: writer.int(record.priority)
            case .orderingKey: writer.string(record.orderingKey)
            case .bytesPerSecond: writer.int(record.bytesPerSecond)
            case .retryOf: writer.string(record.retryOf)
            case .retriedBy: writer.string(record.retriedBy)
            case .parent: writer.string(record.parent)
            case .schedule: writer.string(record.schedule)
            case .trace: write(record.trace, to: &writer)
            case .callback: write(callback: record.specification.callback, details.delivery, to: &writer)
            case .links: TaskLinks.write(of: record, path: path, to: &writer)
            }
        }
        writer.endObject()
    }

    /// Writes labels as a JSON object, by key.
    static func write(_ labels: [String: String], to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in labels.sorted(by: { $0.key < $1.key }) {
            writer.member(key, value)
        }
        writer.endObject()
    }

    private static func write(_ trace: TraceContext?, to writer: inout JSONWriter) {
        guard let trace else { return writer.null() }
        writer.beginObject()
        writer.member("trace_id", trace.traceID)
        writer.member("parent_id", trace.parentID)
        writer.member("sampled", trace.isSampled)
        writer.member("state", trace.state)
        writer.endObject()
    }

    /// Writes the error, with the path of the content that the upstream has sent with it.
    private static func writeError(of record: TaskRecord, path: String, to writer: inout JSONWriter) {
        guard let error = record.result.error, let body = record.result.body, body.size > 0 else {
            return writer.raw(record.result.error)
        }
        writer.beginObject()
        // Without its braces.
        writer.rawMembers(error.dropFirst().dropLast())
        writer.member("body", "\(path)/body")
        writer.endObject()
    }

    private static func write(callback: [UInt8]?, _ delivery: TaskRecord?, to writer: inout JSONWriter) {
        guard let callback, let delivery else { return writer.raw(callback) }
        writer.beginObject()
        // Without its braces.
        writer.rawMembers(callback.dropFirst().dropLast())
        writer.member("delivery")
        DeliveryDocument.write(delivery, to: &writer)
        writer.endObject()
    }

    private static func write(_ content: TaskContent?, isDone: Bool, to writer: inout JSONWriter) {
        guard let content else { return writer.null() }
        // A task that ended before an attempt waits for no content.
        if case .awaited = content, isDone { return writer.null() }
        writer.beginObject()
        switch content {
        case .awaited(let until):
            writer.member("awaited_until", until)
        case .stored(let size, let sha256):
            writer.member("size", size)
            writer.member("sha256")
            writer.plainString { Hexadecimal.append(sha256, to: &$0) }
        case .passedOn(let size, let isComplete):
            writer.member("size", size)
            writer.member("complete", isComplete)
        }
        writer.endObject()
    }

    private static func writeResponse(
        of record: TaskRecord, path: String, view: View, to writer: inout JSONWriter
    ) {
        guard let response = record.result.response else { return writer.null() }
        writer.beginObject()
        writer.rawMembers(response)
        writer.member("object")
        switch object(of: record, view: view) {
        case .none:
            writer.null()
        case .bytes(let bytes):
            writer.raw(bytes)
        case .omitted:
            writer.null()
            writer.member("object_omitted", true)
        }
        writer.member("body")
        if let body = record.result.body {
            writer.beginObject()
            writer.member("size", body.size)
            writer.member("sha256")
            writer.plainString { Hexadecimal.append(body.sha256, to: &$0) }
            writer.member("content_type", body.contentType)
            writer.member("href", "\(path)/body")
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
    }

    private enum ShownObject {
        case none
        case bytes(ArraySlice<UInt8>)
        case omitted
    }

    private static func object(of record: TaskRecord, view: View) -> ShownObject {
        let bytes: ArraySlice<UInt8>
        switch (record.result.object, record.result.body?.location) {
        case (.none, _):
            return .none
        case (.json(let json), _):
            bytes = json[...]
        case (.slice(let range), .inline(let body)) where range.upperBound <= body.count:
            bytes = body[range]
        case (.slice, _), (.omitted, _):
            return .omitted
        }
        return view == .listed && bytes.count > listedObjectBytes ? .omitted : .bytes(bytes)
    }
}

extension TaskRecord {
    /// The final progress, as far as the result shows it: a response means that the content was sent.
    fileprivate var finalProgress: TransferProgress {
        let received = result.body?.size ?? fileSize
        let sent: Int64
        let total: Int64?
        switch content {
        case .awaited: (sent, total) = (0, nil)
        case .passedOn(let size, let isComplete): (sent, total) = (size, isComplete ? size : nil)
        case nil, .stored:
            let size = content?.size ?? specification.contentBytes
            (sent, total) = (result.response == nil ? 0 : size, size)
        }
        return TransferProgress(sent: sent, sendTotal: total, received: received ?? 0, receiveTotal: received)
    }

    /// The size of the file that the content became.
    private var fileSize: Int64? {
        guard kind.handler.writesFiles, let response = result.response else { return nil }
        return ResponseDocument.fileSize(in: response)
    }
}
