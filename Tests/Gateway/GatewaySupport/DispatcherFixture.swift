import ErrandBodyFiles
import ErrandConfiguration
import ErrandLocking
import ErrandLogs
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Logging
import Testing

@testable import ErrandTaskEngine

/// A dispatcher with its own store and one session, `up`, whose upstream is a script.
struct DispatcherFixture {
    let folder: GatewayFolder
    let store: FlakyTaskStore
    let transport: ScriptedTransport
    let context: TaskContext
    let dispatcher: Dispatcher
    let sessions: SessionCatalog
    /// The dispatcher's time of day.
    let now: @Sendable () -> Timestamp
    private let ids: TaskIDGenerator
    /// The difference by which the time of day was set, while the monotonic clock continued.
    let setting = Setting()

    /// Sets the time of day.
    final class Setting: Sendable {
        private let offset = Mutex(Duration.zero)

        var value: Duration { offset.withLock { $0 } }

        func set(to offset: Duration) { self.offset.withLock { $0 = offset } }
    }

    /// The time of day at the zero of a manual clock.
    static let start = Timestamp(milliseconds: 1_795_000_000_000)

    /// A logger without output.
    static let logger = Logger.discarding

    /// The steps of an upstream that responds with a small JSON document.
    static let response: [ScriptedTransport.Step] = [
        .head(ResponseHead(status: 200, headers: [.contentType: "application/json"])), .bytes(Array("{}".utf8)),
    ]

    /// Creates a fixture.
    ///
    /// - Parameters:
    ///   - folder: The folder of an earlier fixture, to continue with its store.
    ///   - concurrent: The number of slots of the session.
    ///   - window: The number of queued tasks known in memory.
    ///   - clock: Measures how long tasks are suspended.
    ///   - time: The clock of the dispatcher, and of the time of day; `nil` for the real clocks.
    ///   - set: The difference by which the time of day is set.
    ///   - retention: The retention times of tasks that have ended.
    ///   - random: The random numbers, from 0 to 1.
    ///   - configuration: The configuration of the session; by default one with `concurrent` slots.
    ///   - patience: The longest times that clients wait; by default none passes.
    ///   - disk: The free space below which no attempt begins, and the measured free space.
    ///   - logger: The log of the dispatcher; by default one without output.
    ///   - transport: The upstream; by default one with the script.
    init(
        folder: GatewayFolder? = nil, concurrent: Int = 10, window: Int = 100,
        clock: any Clock<Duration> = ContinuousClock(), time: ManualClock? = nil,
        set: Duration = .zero, retention: RetentionConfiguration = RetentionConfiguration(), random: Double = 0.5,
        configuration: SessionConfiguration? = nil, patience: ClientPatience = .unlimited,
        disk: (minFreeBytes: Int64, freeBytes: @Sendable () async -> Int64?)? = nil,
        logger: Logger = DispatcherFixture.logger,
        transport: ScriptedTransport? = nil,
        _ script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step] = { _ in response }
    ) throws {
        self.folder = try folder ?? GatewayFolder()
        store = FlakyTaskStore(try self.folder.store())
        let transport = transport ?? ScriptedTransport(script)
        self.transport = transport
        let configuration = try configuration ?? Self.configuration(concurrent: concurrent)
        sessions = SessionCatalog(
            [configuration], defaultName: nil,
            factory: SessionFactory(cookies: store, clock: clock, logger: Self.logger) { _ in transport },
            logger: Self.logger)
        setting.set(to: set)
        if let time {
            now = { [setting] in Self.start.adding(time.now.offset).adding(setting.value) }
        } else {
            now = { [setting] in Timestamp.now().adding(setting.value) }
        }
        ids = TaskIDGenerator(now: now)
        // Of two threads that read the time of day around a change, the clock must know which was first.
        let jumpDetection: any Clock<Duration> = if let time { OrderedClock(time) } else { ContinuousClock() }
        context = TaskContext(
            store: store, sessions: sessions, files: try self.folder.files(),
            clocks: GatewayClocks(elapsed: time ?? ContinuousClock(), now: now, jumpDetection: jumpDetection),
            ids: ids, random: { random }, patience: patience, logger: logger)
        dispatcher = Dispatcher(
            context: context, maxRunning: 100, window: window, retention: retention,
            minFreeBytes: disk?.minFreeBytes ?? 0, freeBytes: disk?.freeBytes)
    }

    /// The configuration of `up`.
    static func configuration(concurrent: Int = 10) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/"))
        configuration.limits.concurrent = concurrent
        return configuration
    }

    /// Runs a test with an open dispatcher, and closes it afterwards.
    func open(_ body: () async throws -> Void) async throws {
        try await dispatcher.open()
        try await body()
        await dispatcher.close(patience: .seconds(30))
        await store.close()
    }

    /// Creates a task as a client does.
    ///
    /// - Parameter members: More members of the document, each after a comma.
    func create(
        _ path: String = "", method: String = "GET", priority: Int = 5, suspended: Bool = false, _ members: String = ""
    ) async throws -> TaskRecord {
        let creation = try await creation(
            path, method: method, members + #","priority":\#(priority)"# + (suspended ? #","start":"suspended""# : ""))
        guard case .created(let created) = try await dispatcher.create(creation)
        else {
            throw SessionClosed()
        }
        return created
    }

    /// Returns a task as a client creates it.
    func creation(
        _ path: String = "", method: String = "GET", _ members: String = ""
    ) async throws -> Dispatcher.Creation {
        let document = #"{"session":"up","path":"\#(path)","method":"\#(method)"\#(members)}"#
        let accepted = try await TaskDecoder(sessions: sessions, caller: .anonymous, maxDepth: 64, now: now)
            .decode(Array(document.utf8))
        let reading = context.wall.reading
        let record = accepted.record(id: ids.next(), at: reading.time, clockOffset: reading.offset)
        return (NewTask(record), accepted.prepared)
    }

    /// Returns tasks as a client creates them, which differ only in their identifiers: one document is read for all.
    func creations(_ count: Int, path: String, _ members: String) async throws -> [Dispatcher.Creation] {
        var creations = [try await creation(path, members)]
        while creations.count < count {
            var next = creations[0]
            next.task.record.change { $0.id = ids.next() }
            next.prepared = nil
            creations.append(next)
        }
        return creations
    }

    /// The error of a task that the session did not accept.
    struct SessionClosed: Error {}

    /// Suspends a task, and checks that this was possible.
    @discardableResult
    func suspend(_ task: TaskRecord, sourceLocation: SourceLocation = #_sourceLocation) async throws -> TaskRecord? {
        record(try await dispatcher.suspend(task.id), sourceLocation)
    }

    /// Resumes a task, and checks that this was possible.
    @discardableResult
    func resume(_ task: TaskRecord, sourceLocation: SourceLocation = #_sourceLocation) async throws -> TaskRecord? {
        record(try await dispatcher.resume(task.id), sourceLocation)
    }

    private func record(_ outcome: TaskCommandOutcome, _ sourceLocation: SourceLocation) -> TaskRecord? {
        guard case .done(let record, _) = outcome else {
            Issue.record("not possible: \(outcome)", sourceLocation: sourceLocation)
            return nil
        }
        return record
    }

    /// Waits until a task is in a state.
    func reaches(_ state: TaskState, _ record: TaskRecord) async throws -> TaskRecord? {
        try await first(of: record) { $0.state == state }
    }

    /// Waits until a task meets a condition, is finished or removed.
    func first(of record: TaskRecord, where isMet: (TaskRecord) -> Bool) async throws -> TaskRecord? {
        var current = try await stored(record)
        while let known = current, !isMet(known), !known.state.isTerminal {
            current = try await context.wait(
                for: known, until: .changed(from: known.revision), timeout: .unlimited)
        }
        return current
    }

    /// Waits until a task is removed from the store.
    func removed(_ record: TaskRecord) async throws {
        while let known = try await stored(record) {
            _ = try await context.wait(for: known, until: .changed(from: known.revision), timeout: .unlimited)
        }
    }

    /// Waits for the end of a task.
    func finished(_ record: TaskRecord) async throws -> TaskRecord? {
        try await context.wait(for: record, until: .done, timeout: .unlimited)
    }

    /// Waits for the end of a task, and checks its state.
    func expect(
        _ state: TaskState, of record: TaskRecord, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let finished = try await finished(record)
        #expect(finished?.state == state, sourceLocation: sourceLocation)
    }

    /// Returns a task as it is stored, without the state in memory.
    func stored(_ record: TaskRecord) async throws -> TaskRecord? {
        try await store.task(record.id)
    }

    /// The paths of the requests to the upstream, in order.
    var paths: [String] {
        transport.requests.map { String($0.url.string.dropFirst("http://upstream.example".count)) }
    }
}

extension SessionConfiguration {
    /// Returns a session with a base URL of its own.
    static func sample(_ name: String) throws -> SessionConfiguration {
        SessionConfiguration(name: name, baseURL: try HTTPURL("http://\(name).example/"))
    }
}
