import ErrandConfiguration
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Logging
import Testing

@testable import ErrandTaskEngine

/// A scheduler with a dispatcher and a store, whose time the test controls.
final class SchedulerFixture: Sendable {
    let folder: GatewayFolder
    let store: FlakyTaskStore
    let scheduler: Scheduler
    let context: TaskContext
    let dispatcher: Dispatcher
    let sessions: SessionCatalog
    let clock: ManualClock
    let log = RecordedLog()
    /// The difference by which the time of day was set, while the monotonic clock continued.
    let setting = DispatcherFixture.Setting()
    private let start: Timestamp

    /// Creates a fixture.
    ///
    /// - Parameters:
    ///   - folder: The folder of an earlier fixture, to continue with its store.
    ///   - start: The initial time of day.
    ///   - sessions: The names of the sessions.
    init(folder: GatewayFolder? = nil, at start: String, sessions names: [String] = ["up"]) throws {
        self.folder = try folder ?? GatewayFolder()
        store = FlakyTaskStore(try self.folder.store())
        let start = try #require(Timestamp(start))
        self.start = start
        let clock = ManualClock()
        self.clock = clock
        let now = { @Sendable [setting] in start.adding(clock.now.offset).adding(setting.value) }
        let logger = log.logger
        sessions = SessionCatalog(
            try names.map(SessionConfiguration.sample), defaultName: names.first,
            factory: SessionFactory(logger: DispatcherFixture.logger) { _ in
                ScriptedTransport(DispatcherFixture.response)
            }, logger: DispatcherFixture.logger)
        context = TaskContext(
            store: store, sessions: sessions, files: ContentFiles(bodies: try self.folder.bodies()),
            clocks: GatewayClocks(now: now, jumpDetection: OrderedClock(clock)), patience: .unlimited, logger: logger)
        dispatcher = Dispatcher(context: context, maxRunning: 100, window: 100)
        scheduler = Scheduler(context: context, dispatcher: dispatcher, clock: clock)
    }

    /// Runs a test with an open scheduler, and closes it afterwards.
    ///
    /// - Parameter prepare: Called when the schedules are loaded, and before any creates a task.
    func open(
        afterLoading prepare: () async throws -> Void = {}, _ body: () async throws -> Void
    ) async throws {
        try await dispatcher.open()
        try await scheduler.load()
        try await prepare()
        scheduler.open()
        // Due tasks are created before it sleeps.
        if next != nil { _ = await clock.sleeps.first(1) }
        try await body()
        await scheduler.close()
        await dispatcher.close(patience: .seconds(30))
        await store.close()
    }

    /// The time until which it sleeps.
    private var next: Timestamp? { scheduler.all.compactMap(\.wakesAt).min() }

    /// The current time.
    var now: Timestamp { start.adding(clock.now.offset).adding(setting.value) }

    /// Sets the time of day, and waits until the scheduler sleeps until another time.
    func set(by offset: Duration) async {
        let sleeps = clock.sleeps.events.count
        setting.set(to: offset)
        _ = context.now()
        _ = await clock.sleeps.first(sleeps + 1)
    }

    /// Creates a schedule as a client does.
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

    /// Advances the time to a moment, and waits for the scheduler's actions.
    ///
    /// - Parameter moment: A time after its next one, or 30 s from now, as it reads the clock at that interval.
    func pass(until moment: String) async throws {
        let moment = try #require(Timestamp(moment))
        let sleeps = clock.sleeps.events.count
        clock.advance(by: moment.duration(since: now))
        _ = await clock.sleeps.first(sleeps + 1)
    }

    /// The created tasks, oldest first.
    func tasks() async throws -> [TaskRecord] {
        try await store.tasks(TaskQuery()).tasks.reversed()
    }

    /// The times at which tasks were created.
    func times() async throws -> [String] {
        try await tasks().map { String($0.createdAt.description.prefix(19)) }
    }

    /// The error of an unexpected outcome.
    struct Unexpected: Error { var text: String }
}
