import ErrandJSON
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskEvents
import ErrandTaskStore
import ErrandText
import ErrandTime
import Logging

import struct Synchronization.Atomic

/// The lines of the log about tasks, their attempts and the troubles of their sessions.
///
/// | event | level |
/// | --- | --- |
/// | a task cannot be read or changed, an operation of the store fails and is repeated | `error` |
/// | a task ends failed, an attempt to deliver a callback fails, a circuit opens or closes, a queue is full | `warning` |
/// | the ages of queues are missing in the metrics | `warning` |
/// | a task ends succeeded or canceled, if ``logsEnds`` | `info` |
/// | an attempt ends | `debug` |
///
/// Warnings are logged as ``RepeatedWarnings`` describes, except that each failed task has a line if ``logsEnds``.
/// Nothing is done for a line whose level is off. Any thread.
final class TaskLog: Sendable {
    private let warnings: RepeatedWarnings
    private let logger: Logger
    private let endsAreLogged = Atomic(false)

    /// Creates a log.
    ///
    /// - Parameter timer: Ends the intervals in which repetitions are counted.
    init(timer: SharedTimer, logger: Logger) {
        warnings = RepeatedWarnings(timer: timer, logger: logger)
        self.logger = logger
    }

    /// True if the end of each task is logged, not only failures, of which many that are alike are counted.
    var logsEnds: Bool {
        get { endsAreLogged.load(ordering: .relaxed) }
        set { endsAreLogged.store(newValue, ordering: .relaxed) }
    }

    /// Reports the repetitions that are not reported yet; called at the end of the gateway.
    func close() {
        warnings.close()
    }

    // MARK: Tasks

    /// Logs a stored task if it has ended.
    func taskWasStored(_ record: TaskRecord) {
        switch record.state {
        case .failed: logFailure(of: record)
        case .succeeded, .canceled:
            guard logsEnds else { return }
            logger.info("Task ended", metadata: Self.metadata(ofEnded: record))
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling: break
        }
    }

    /// Logs that a task could not be read or changed, because it is damaged or its key is missing.
    func taskIsUnreadable(_ id: TaskID, _ error: TaskStoreError) {
        logUnreadable("task", id, because: error)
    }

    /// Logs that the delivery of a task could not be read, for the same reasons; the task itself is sound.
    func deliveryIsUnreadable(of parent: TaskID, _ error: TaskStoreError) {
        logUnreadable("parent", parent, because: error)
    }

    private func logUnreadable(_ name: String, _ id: TaskID, because error: TaskStoreError) {
        let group = RepeatedWarnings.Group(
            subject: .unreadableTask, session: error.session ?? "", code: error.code.rawValue)
        warnings.log("A task cannot be read or changed", in: group) {
            [name: .string(id.description), "error": .string(error.debugDescription)]
        }
    }

    private func logFailure(of record: TaskRecord) {
        guard logger.logLevel <= .warning else { return }
        let error = record.result.error.flatMap { JSONObject(stored: $0) }
        let code = error?["code"]?.string ?? "unknown"
        let message = error?["message"]?.string
        guard !logsEnds else {
            // The operator has asked for a record of each task.
            return logger.warning(
                "Task failed", metadata: Self.metadata(ofFailed: record, code: code, message: message))
        }
        warnings.log("Task failed", in: .init(subject: .failedTask, session: record.session, code: code)) {
            Self.metadata(ofFailed: record, code: code, message: message)
        }
    }

    // MARK: The store

    /// Logs that an operation of the store failed, and is tried again.
    ///
    /// - Parameters:
    ///   - what: The operation in words.
    ///   - task: The task of the operation; `nil` if it is about none.
    ///   - error: The failure.
    func storeDidFail(_ what: String, of task: TaskID? = nil, because error: TaskStoreError) {
        let group = RepeatedWarnings.Group(subject: .failedStore, session: "", code: error.code.rawValue)
        warnings.log("The store failed; trying again", in: group) {
            var metadata: Logger.Metadata = ["what": .string(what), "error": .string(error.debugDescription)]
            if let task { metadata["task"] = .string(task.description) }
            return metadata
        }
    }

    /// Logs that a response to `GET /metrics` lacks ages of queues, which the store did not tell.
    func queueAgesAreMissing(because error: TaskStoreError) {
        let group = RepeatedWarnings.Group(subject: .missingQueueAges, session: "", code: error.code.rawValue)
        warnings.log("Queue ages are missing in the metrics: the store does not tell them", in: group) {
            ["error": .string(error.debugDescription)]
        }
    }

    /// Logs that the task of a schedule could not be stored, and is stored later.
    func runWasDelayed(of schedule: String, because error: TaskStoreError) {
        let group = RepeatedWarnings.Group(subject: .delayedRun, session: "", code: error.code.rawValue)
        warnings.log("The task of a schedule could not be stored; trying again", in: group) {
            ["schedule": .string(schedule), "error": .string(error.debugDescription)]
        }
    }

    // MARK: Attempts

    /// Logs an attempt that has ended.
    ///
    /// - Parameters:
    ///   - record: The task.
    ///   - next: The time of the next attempt; `nil` if there is none.
    func attemptDidEnd(_ attempt: EndedAttempt, of record: TaskRecord, duration: Duration, next: Timestamp?) {
        logger.debug(
            "Attempt ended", metadata: Self.metadata(of: attempt, record, duration: duration, next: next))
        // Only a delivery has a parent. Its last failure is that of the task.
        guard record.parent != nil, let error = attempt.error, next != nil else { return }
        let group = RepeatedWarnings.Group(
            subject: .failedDelivery, session: record.session, code: error.code.rawValue)
        warnings.log("Callback not delivered; another attempt follows", in: group) {
            Self.metadata(of: attempt, record, duration: duration, next: next)
                .merging(Self.requestMetadata(of: record)) { old, _ in old }
        }
    }

    private static func metadata(
        of attempt: EndedAttempt, _ record: TaskRecord, duration: Duration, next: Timestamp?
    ) -> Logger.Metadata {
        var metadata = identity(of: record)
        metadata["attempt"] = .stringConvertible(attempt.number)
        metadata["duration_ms"] = .stringConvertible(duration.logged)
        if let span = record.spanID { metadata["span_id"] = .string(span) }
        if let status = attempt.status { metadata["status"] = .stringConvertible(status) }
        if let error = attempt.error {
            metadata["code"] = .string(error.code.rawValue)
            metadata["error"] = .string(shortened(error.message))
        }
        if let next { metadata["next_attempt_at"] = .string(next.description) }
        return metadata
    }

    // MARK: Sessions

    /// Logs that a circuit has opened or closed.
    ///
    /// - Parameter configuration: The settings of the circuit, if its session is still configured.
    func circuitDidChange(
        _ change: CircuitBreaker.Change, of session: String, _ configuration: CircuitBreakerConfiguration?
    ) {
        let group = RepeatedWarnings.Group(subject: .circuit, session: session)
        switch change {
        case .opened:
            warnings.log("Circuit opened: the upstream keeps failing, and no attempt starts", in: group) {
                var metadata: Logger.Metadata = ["session": .string(session)]
                guard let configuration else { return metadata }
                metadata["failures"] = .stringConvertible(configuration.failures)
                metadata["next_attempt_in"] = .string(configuration.open.shortText)
                return metadata
            }
        case .closed:
            warnings.log("Circuit closed: the upstream works again", in: group) { ["session": .string(session)] }
        }
    }

    /// Logs that a task was refused because the queue of its session is full.
    ///
    /// - Parameter maxQueued: The longest queue (`limits.max_queued`).
    func queueWasFull(of session: String, maxQueued: Int?) {
        let group = RepeatedWarnings.Group(subject: .fullQueue, session: session)
        warnings.log("Task refused: the queue is full", in: group) {
            var metadata: Logger.Metadata = ["session": .string(session)]
            if let maxQueued { metadata["max_queued"] = .stringConvertible(maxQueued) }
            return metadata
        }
    }

    /// Logs that spans were not sent to the collector.
    ///
    /// - Parameter session: The session of the collector.
    func spansWereLost(_ count: Int, to session: String, because reason: String) {
        warnings.log("Spans lost", in: RepeatedWarnings.Group(subject: .lostSpans, session: session)) {
            [
                "session": .string(session), "spans": .stringConvertible(count),
                "reason": .string(Self.shortened(reason)),
            ]
        }
    }

    // MARK: The line of a task

    /// The longest message of an error and the longest URL in a line, in bytes.
    private static let textLimit = 512

    private static func shortened(_ text: String) -> String { text.shortened(toBytes: textLimit) }

    /// Returns what identifies a task.
    private static func identity(of record: TaskRecord) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "task": .string(record.id.description), "kind": .string(record.kind.rawValue),
            "session": .string(record.session),
        ]
        if let trace = record.trace { metadata["trace_id"] = .string(trace.traceID) }
        if let parent = record.parent { metadata["parent"] = .string(parent.description) }
        return metadata
    }

    /// Returns what describes a task that has ended.
    private static func metadata(of record: TaskRecord) -> Logger.Metadata {
        var metadata = identity(of: record).merging(requestMetadata(of: record)) { old, _ in old }
        metadata["attempts"] = .stringConvertible(record.attemptCount)
        if let members = record.result.response {
            let status = JSONObject(storedMembers: members)?["status"]?.number?.int
            if let status { metadata["status"] = .stringConvertible(status) }
        }
        if !record.labels.isEmpty { metadata["labels"] = .dictionary(record.labels.mapValues { .string($0) }) }
        return metadata
    }

    private static func metadata(ofFailed record: TaskRecord, code: String, message: String?) -> Logger.Metadata {
        var metadata = metadata(of: record)
        metadata["code"] = .string(code)
        if let message { metadata["error"] = .string(shortened(message)) }
        return metadata
    }

    private static func metadata(ofEnded record: TaskRecord) -> Logger.Metadata {
        var metadata = metadata(of: record)
        metadata["state"] = .string(record.state.rawValue)
        if let end = record.finishedAt {
            metadata["duration_ms"] = .stringConvertible(max(end.duration(since: record.createdAt), .zero).logged)
        }
        return metadata
    }

    /// Returns the method and the URL of a task.
    private static func requestMetadata(of record: TaskRecord) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        let request = JSONObject(stored: record.specification.request)
        if let method = request?["method"]?.string { metadata["method"] = .string(method) }
        if let url = request?["url"]?.string {
            // A query may identify persons.
            let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
            metadata["url"] = .string(shortened(String(url[..<end])))
        }
        return metadata
    }
}

extension Duration {
    /// The duration as lines of the log have it, in milliseconds.
    fileprivate var logged: Double { Double(wholeMicroseconds) / 1000 }
}
