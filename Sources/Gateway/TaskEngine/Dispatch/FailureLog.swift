import ErrandJSON
import ErrandLocking
import ErrandTaskEvents
import ErrandTaskStore
import ErrandText
import Logging

/// Logs each task that ends failed, unless many fail in the same way.
///
/// Of the tasks of a session that fail with the same error code, the first ``burst`` of an ``interval`` are logged one
/// by one. The others are counted, and one line at the end of the interval reports their number. So the number of lines
/// depends on the sessions and codes, not on the number of tasks that an upstream fails. Any thread.
final class FailureLog: Sendable {
    /// The number of tasks that are logged one by one in an interval.
    static let burst = 10
    /// The time in which repetitions are counted, from the first failure on.
    static let interval = Duration.seconds(60)

    /// The failures that count as repetitions of each other.
    private struct Group: Hashable {
        var session: String
        var code: String
    }

    private let timer: SharedTimer
    private let logger: Logger
    /// The number of failures in the current interval of each group.
    private let counts = Mutex<[Group: Int]>([:])

    /// Creates a log without failures.
    ///
    /// - Parameter timer: Ends the intervals.
    init(timer: SharedTimer, logger: Logger) {
        self.timer = timer
        self.logger = logger
    }

    /// Logs a stored task if it has ended failed.
    func taskWasStored(_ record: TaskRecord) {
        guard record.state == .failed else { return }
        let error = Self.object(record.result.error ?? [])
        let group = Group(session: record.session, code: error?["code"]?.string ?? "unknown")
        let count = counts.withLock { counts in
            counts[group, default: 0] += 1
            return counts[group, default: 0]
        }
        if count == 1 {
            // The interval ends by itself.
            _ = timer.set(after: Self.interval, grain: .seconds(1)) { [weak self] in self?.endInterval(of: group) }
        }
        guard count <= Self.burst else { return }
        logger.warning("Task failed", metadata: Self.metadata(of: record, group, error))
    }

    /// Reports the repetitions that are not reported yet; called at the end of the gateway.
    func close() {
        for group in counts.withLock({ $0.keys }) { endInterval(of: group) }
    }

    private func endInterval(of group: Group) {
        let count = counts.withLock { $0.removeValue(forKey: group) ?? 0 }
        guard count > Self.burst else { return }
        logger.warning(
            "More tasks failed in the same way",
            metadata: [
                "session": .string(group.session), "code": .string(group.code),
                "tasks": .stringConvertible(count - Self.burst),
            ])
    }

    // MARK: The line of a task

    /// The longest message of an error and the longest URL in a line, in bytes.
    private static let textLimit = 512

    private static func metadata(of record: TaskRecord, _ group: Group, _ error: JSONObject?) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "task": .string(record.id.description), "kind": .string(record.kind.rawValue),
            "session": .string(group.session), "code": .string(group.code),
            "attempts": .stringConvertible(record.attemptCount),
        ]
        if let trace = record.trace { metadata["trace_id"] = .string(trace.traceID) }
        if let parent = record.parent { metadata["parent"] = .string(parent.description) }
        if let message = error?["message"]?.string {
            metadata["error"] = .string(message.shortened(toBytes: textLimit))
        }
        let request = object(record.specification.request)
        if let method = request?["method"]?.string { metadata["method"] = .string(method) }
        if let url = request?["url"]?.string {
            // A query may identify persons.
            let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
            metadata["url"] = .string(String(url[..<end]).shortened(toBytes: textLimit))
        }
        if let members = record.result.response {
            let response = object([UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])
            if case .number(let status)? = response?["status"]?.kind {
                metadata["status"] = .stringConvertible(status.int ?? 0)
            }
        }
        if !record.labels.isEmpty { metadata["labels"] = .dictionary(record.labels.mapValues { .string($0) }) }
        return metadata
    }

    /// Returns a stored document; `nil` if it cannot be read.
    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        (try? JSONDocument.parse(bytes))?.root.object
    }
}
