import BodyFiles
import Configuration
import HTTPTypes
import Logging
import SessionCore
import Support
import TaskStore
import TaskStoreSQLite
import Testing
import Transfer

@testable import Gateway

/// A dispatcher on a store of its own, with one session, `up`, whose upstream is a script.
struct DispatcherFixture {
    let folder: GatewayFolder
    let store: FlakyTaskStore
    let transport: ScriptedTransport
    let dispatcher: Dispatcher
    let sessions: SessionCatalog
    /// The time of day of the dispatcher.
    let now: @Sendable () -> Timestamp
    private let ids: TaskIDGenerator

    /// The time of day at the zero of a manual clock.
    static let start = Timestamp(milliseconds: 1_795_000_000_000)

    /// Says nothing.
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The steps of an upstream that answers with a little JSON.
    static let answer: [ScriptedTransport.Step] = [
        .head(ResponseHead(status: 200, headers: [.contentType: "application/json"])), .bytes(Array("{}".utf8)),
    ]

    /// - Parameters:
    ///   - folder: That of an earlier fixture, to go on with what is in its store.
    ///   - concurrent: Places of the session.
    ///   - window: Queued tasks known in memory.
    ///   - clock: Measures how long tasks are suspended.
    ///   - time: The clock of the dispatcher, and the time of day with it; the real ones without it.
    ///   - retention: How long tasks are kept that are done.
    ///   - random: Chance, from 0 to 1.
    ///   - configuration: That of the session, in place of the default with `concurrent` places.
    ///   - transport: Plays the upstream, in place of one with the script.
    init(
        folder: GatewayFolder? = nil, concurrent: Int = 10, window: Int = 100,
        clock: any Clock<Duration> = ContinuousClock(), time: ManualClock? = nil,
        retention: RetentionConfiguration = RetentionConfiguration(), random: Double = 0.5,
        configuration: SessionConfiguration? = nil,
        transport: ScriptedTransport? = nil,
        _ script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step] = { _ in answer }
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
        if let time {
            now = { Self.start.adding(time.now.offset) }
        } else {
            now = Timestamp.now
        }
        ids = TaskIDGenerator(now: now)
        dispatcher = Dispatcher(
            store: store, sessions: sessions, bodies: try self.folder.bodies(), maxRunning: 100, window: window,
            retention: retention, clock: time ?? ContinuousClock(), now: now, random: { random }, logger: Self.logger)
    }

    /// The configuration of `up`.
    static func configuration(concurrent: Int = 10) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/"))
        configuration.limits.concurrent = concurrent
        return configuration
    }

    /// Runs a test with an open dispatcher, and closes it after.
    func open(_ body: () async throws -> Void) async throws {
        try await dispatcher.open()
        try await body()
        await dispatcher.close(patience: .seconds(30))
        await store.close()
    }

    /// Creates a task as a client would.
    ///
    /// - Parameter members: Members of the document besides, each after a comma.
    func create(
        _ path: String = "", method: String = "GET", priority: Int = 5, suspended: Bool = false, _ members: String = ""
    ) async throws -> TaskRecord {
        let creation = try await creation(
            path, method: method, members + #","priority":\#(priority)"# + (suspended ? #","start":"suspended""# : ""))
        guard case .created(let created) = try await dispatcher.create(creation.task, prepared: creation.prepared)
        else {
            throw SessionClosed()
        }
        return created
    }

    /// A task as a client would create it.
    func creation(
        _ path: String = "", method: String = "GET", _ members: String = ""
    ) async throws -> Dispatcher.Creation {
        let document = #"{"session":"up","path":"\#(path)","method":"\#(method)"\#(members)}"#
        let accepted = try await TaskDecoder(sessions: sessions, caller: .anonymous, maxDepth: 64, now: now)
            .decode(Array(document.utf8))
        return (NewTask(accepted.record(id: ids.next())), accepted.prepared)
    }

    /// The session took no task.
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

    private func record(_ answer: Dispatcher.StepAnswer, _ sourceLocation: SourceLocation) -> TaskRecord? {
        guard case .done(let record) = answer else {
            Issue.record("not possible: \(answer)", sourceLocation: sourceLocation)
            return nil
        }
        return record
    }

    /// Waits until a task is in a state.
    func reaches(_ state: TaskState, _ record: TaskRecord) async throws -> TaskRecord? {
        var current = try await stored(record)
        while let known = current, known.state != state, !known.state.isTerminal {
            current = try await dispatcher.wait(
                for: known, until: .changed(from: known.revision), timeout: .seconds(60))
        }
        return current
    }

    /// Waits for the end of a task.
    func finished(_ record: TaskRecord) async throws -> TaskRecord? {
        try await dispatcher.wait(for: record, until: .done, timeout: .seconds(60))
    }

    /// Waits for the end of a task, and checks what it is.
    func expect(
        _ state: TaskState, of record: TaskRecord, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let finished = try await finished(record)
        #expect(finished?.state == state, sourceLocation: sourceLocation)
    }

    /// What the store has of a task, whatever is known in memory.
    func stored(_ record: TaskRecord) async throws -> TaskRecord? {
        try await store.task(record.id)
    }

    /// The paths that the upstream was asked for, in order.
    var paths: [String] {
        transport.requests.map { String($0.url.string.dropFirst("http://upstream.example".count)) }
    }
}
