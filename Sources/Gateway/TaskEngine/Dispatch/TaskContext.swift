import ErrandBodyFiles
package import ErrandConfiguration
import ErrandDownloads
import ErrandTaskEvents
package import ErrandTaskStore
package import ErrandTime
package import Logging

import struct Synchronization.Atomic

/// The objects that all parts of the task engine share: store, tasks in memory, sessions, clocks and log.
///
/// The composition creates one and passes it to all parts of the engine and its API. Its functions read tasks, wait for
/// them, and repeat operations of the store; no step of a task is decided here. Any thread.
package final class TaskContext: Sendable {
    package let store: any TaskStore
    package let sessions: SessionCatalog
    let storage: ContentStorage
    /// The tasks that were written last.
    package let recent = RecentTasks()
    /// The callers that wait for tasks.
    let watchers: TaskWatchers
    /// Ends the waits of clients.
    let timer: SharedTimer
    /// Generates the identifiers of tasks, callbacks included.
    let ids: TaskIDGenerator
    /// Returns the time of day.
    package let now: @Sendable () -> Timestamp
    /// The clock behind ``now``, which notices when the time of day is set.
    let wall: WallClock
    /// The clock for sleeps and for measuring durations.
    package let monotonic: MonotonicClock
    /// Returns a random number from 0 to 1, to spread pauses.
    let random: @Sendable () -> Double
    let patience: ClientPatience
    package let logger: Logger
    /// Logs the ends of tasks and attempts, and troubles of sessions.
    let log: TaskLog
    /// Sends the spans of tasks and attempts that end.
    let spans: SpanExporter
    /// Counts the tasks and attempts that end.
    let meters = TaskMeters()
    /// The tasks whose content is being received.
    var contentsUnderWay: ContentsUnderWay { storage.contentsUnderWay }
    /// The clients that follow bodies.
    let bodyFollowers = BodyFollowers()
    private let abandoned = Atomic(false)

    /// Creates the shared objects.
    ///
    /// - Parameters:
    ///   - files: The folders of the files with the content of tasks.
    ///   - clocks: The clocks of all parts.
    ///   - ids: Generates the identifiers of tasks, callbacks included.
    ///   - random: Returns a random number from 0 to 1, to spread pauses.
    ///   - patience: The longest times that clients wait.
    ///   - version: The version of the program, for spans.
    package init(
        store: any TaskStore, sessions: SessionCatalog, files: ContentFiles, clocks: GatewayClocks,
        ids: TaskIDGenerator? = nil, random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        patience: ClientPatience = ClientPatience(), version: String = "", logger: Logger
    ) {
        self.store = store
        self.sessions = sessions
        // Real time whatever the clocks are: tests count its sleepers, and clients wait also while it stands still.
        let timer = SharedTimer(ContinuousClock())
        self.timer = timer
        watchers = TaskWatchers(timer: timer)
        storage = ContentStorage(files, watchers: watchers)
        self.ids = ids ?? TaskIDGenerator(now: clocks.now)
        let wall = WallClock(clocks.now, jumpDetection: clocks.jumpDetection)
        self.wall = wall
        now = { wall.now }
        monotonic = MonotonicClock(clocks.elapsed)
        self.random = random
        self.patience = patience
        self.logger = logger
        log = TaskLog(timer: timer, logger: logger)
        spans = SpanExporter(sessions: sessions, timer: timer, log: log, serviceVersion: version)
    }

    /// Applies the settings of the log and of traces.
    package func configure(_ configuration: GatewayConfiguration) {
        log.logsEnds = configuration.logging.taskEnds
        spans.configure(configuration.tracing.otlp)
    }

    /// Sends the spans that wait, within a time.
    package func sendSpans(within limit: Duration) async {
        await spans.close(within: limit)
    }

    // MARK: Reading tasks

    /// Returns the task as it is stored, from memory or the store; `nil` if it does not exist.
    func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        if let record = recent.record(id) { return record }
        return try await store.task(id)
    }

    /// Returns the current task, from memory or the store; `nil` if it is gone or unreadable, or the gateway ends.
    ///
    /// - Parameter inStore: True to read the store, for values that only the store decides.
    func known(_ id: TaskID, inStore: Bool = false) async -> TaskRecord? {
        if !inStore, let record = recent.record(id) { return record }
        let found = await retryingStoreErrors("reading a task", of: id) { () async throws(TaskStoreError) in
            try await unlessUnreadable(id) { () async throws(TaskStoreError) in try await store.task(id) }
        }
        return found ?? nil
    }

    /// Waits until a task meets a condition, or `timeout` has passed.
    ///
    /// - Returns: The task after the wait; `nil` if it does not exist.
    /// - Throws: ``TaskStoreError/Code/canceled`` when the calling task is canceled, so that a loop around this call
    ///   ends.
    func wait(
        for record: TaskRecord, until condition: TaskWatchers.Condition, timeout: Duration
    ) async throws(TaskStoreError) -> TaskRecord? {
        if condition.isMet(by: record) { return record }
        do {
            try await watchers.wait(for: record.id, until: condition, timeout: timeout) { [self] in
                // A read that fails ends the wait, as one of a deleted task does; the read below has its error.
                try? await task(record.id)
            }
        } catch {
            // Otherwise the gateway is closing, and the caller gets the task as it is.
            guard !Task.isCancelled else { throw .canceled }
        }
        return try await task(record.id)
    }

    // MARK: Store failures

    /// Returns the result of an operation on a task, or `nil` if it fails because of this task alone
    /// (``ErrandTaskStore/TaskStoreError/isOfOneTask``).
    ///
    /// Such a task does not delay the others, whether it is read or changed. It stays in the store, and continues with
    /// the first start that can read it. The first one is logged, the others are counted.
    package func unlessUnreadable<Value: Sendable>(
        _ id: TaskID, _ operation: () async throws(TaskStoreError) -> Value?
    ) async throws(TaskStoreError) -> Value? {
        do {
            return try await operation()
        } catch {
            guard error.isOfOneTask else { throw error }
            log.taskIsUnreadable(id, error)
            return nil
        }
    }

    /// Repeats a store operation with growing pauses until it succeeds; `nil` if the gateway ends before.
    ///
    /// Each pause sleeps in its own task, so that it also lasts when the calling task is canceled: an event that has
    /// happened is stored in any case.
    ///
    /// - Parameters:
    ///   - what: The operation in words, for the log.
    ///   - task: The task of the operation, for the log; `nil` if it is about none.
    ///   - onFailure: Called after each failure.
    package func retryingStoreErrors<Value: Sendable>(
        _ what: String, of task: TaskID? = nil, onFailure: (TaskStoreError) -> Void = { _ in },
        _ operation: () async throws(TaskStoreError) -> Value
    ) async -> Value? {
        var pause = Duration.milliseconds(100)
        while !isAbandoned {
            do {
                return try await operation()
            } catch {
                guard error.code != .closed else { return nil }
                log.storeDidFail(what, of: task, because: error)
                onFailure(error)
                let rest = pause
                // This task is never canceled: the sleep cannot fail.
                await Task { try? await ContinuousClock().boundedSleep(for: rest) }.value
                pause = min(pause * 2, .seconds(5))
            }
        }
        return nil
    }

    /// The bodies of tasks.
    var bodies: BodyFiles { storage.bodies }

    /// Removes the partial file of a task that will not be continued.
    func removePartialFile(of id: TaskID) async {
        for folder in storage.partialFiles { await folder.removePartialFile(of: id.description) }
    }

    /// Removes the body file of a task.
    ///
    /// A file that cannot be removed is an orphan: it takes up space and does no other harm.
    func removeBody(of id: TaskID) async {
        await remove("body", from: bodies, of: id)
    }

    /// Removes the file with the content of a task's request.
    ///
    /// A file that cannot be removed is an orphan.
    func removeContent(of id: TaskID) async {
        if let contents = storage.contents { await remove("content", from: contents, of: id) }
    }

    private func remove(_ what: String, from files: BodyFiles, of id: TaskID) async {
        do {
            try await files.remove(id)
        } catch {
            logger.warning(
                "A \(what) file was left behind", metadata: ["task": "\(id)", "error": "\(error.debugDescription)"])
        }
    }

    // MARK: The end

    /// True if the attempts under way are cut off and their tasks left as they are, for the next start to recover.
    var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

    /// Begins no further attempt and repeats no further operation of the store, as the gateway ends.
    func abandon() { abandoned.store(true, ordering: .releasing) }
}
