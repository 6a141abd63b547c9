import Configuration
import Logging
import SessionCore
import Support
import TaskStore
import Testing

@testable import Gateway

/// A scheduler with a dispatcher and a store, whose time passes when a test says so.
final class SchedulerFixture: Sendable {
    let folder: GatewayFolder
    let store: FlakyTaskStore
    let scheduler: Scheduler
    let dispatcher: Dispatcher
    let sessions: SessionCatalog
    let clock: ManualClock
    let log = RecordedLog()
    private let start: Timestamp

    /// - Parameters:
    ///   - folder: That of an earlier fixture, to go on with what is in its store.
    ///   - start: What time it is.
    ///   - sessions: The names of the sessions.
    init(folder: GatewayFolder? = nil, at start: String, sessions names: [String] = ["up"]) throws {
        self.folder = try folder ?? GatewayFolder()
        store = FlakyTaskStore(try self.folder.store())
        let start = try #require(Timestamp(start))
        self.start = start
        let clock = ManualClock()
        self.clock = clock
        let now = { @Sendable in start.adding(clock.now.offset) }
        let logger = log.logger
        sessions = SessionCatalog(
            try names.map(SessionVisibilityTests.session), defaultName: names.first,
            factory: SessionFactory(logger: DispatcherFixture.logger) { _ in
                ScriptedTransport(DispatcherFixture.answer)
            }, logger: DispatcherFixture.logger)
        dispatcher = Dispatcher(
            store: store, sessions: sessions, bodies: try self.folder.bodies(), maxRunning: 100, window: 100, now: now,
            logger: DispatcherFixture.logger)
        scheduler = Scheduler(
            dispatcher: dispatcher, ids: TaskIDGenerator(now: now), clock: clock, now: now, logger: logger)
    }

    /// Runs a test with an open scheduler, and closes it after.
    func open(_ body: () async throws -> Void) async throws {
        try await dispatcher.open()
        try await scheduler.load()
        scheduler.open()
        // What is due is done before it sleeps.
        if next != nil { _ = await clock.sleeps.first(1) }
        try await body()
        await scheduler.close()
        await dispatcher.close(patience: .seconds(30))
        await store.close()
    }

    /// What it sleeps until.
    private var next: Timestamp? { scheduler.all.compactMap(\.wakesAt).min() }

    /// What time it is.
    var now: Timestamp { start.adding(clock.now.offset) }

    /// Makes a schedule as a client would.
    @discardableResult
    func put(_ name: String, _ cron: String, _ members: String = "", task: String = "{}") async throws -> Schedule {
        let document = #"{"cron":"\#(cron)","task":\#(task)\#(members)}"#
        let accepted = try await scheduler.decoder(for: .anonymous).decode(Array(document.utf8), named: name)
        let (sleeps, former) = (clock.sleeps.events.count, next)
        switch try await scheduler.put(accepted, by: .anonymous, replaces: true, if: { _ in true }) {
        case .created(let schedule), .replaced(let schedule):
            if let next, former.map({ next < $0 }) ?? true { _ = await clock.sleeps.first(sleeps + 1) }
            return schedule
        case let other: throw Unexpected(text: "\(other)")
        }
    }

    /// Lets time pass until a moment, and waits for what the scheduler does then.
    ///
    /// - Parameter moment: Behind the time that it waits for, or 30 s from now: it looks at the clock so often.
    func pass(until moment: String) async throws {
        let moment = try #require(Timestamp(moment))
        let sleeps = clock.sleeps.events.count
        clock.advance(by: moment.duration(since: now))
        _ = await clock.sleeps.first(sleeps + 1)
    }

    /// The tasks that were made, oldest first.
    func tasks() async throws -> [TaskRecord] {
        try await store.tasks(TaskQuery()).tasks.reversed()
    }

    /// When tasks were made.
    func times() async throws -> [String] {
        try await tasks().map { String($0.createdAt.description.prefix(19)) }
    }

    /// Something else than expected has happened.
    struct Unexpected: Error { var text: String }
}
