import ErrandConfiguration
import ErrandSettings
import ErrandSupport
import ErrandTaskEvents
import Logging
import Testing

@testable import ErrandGatewayAPI

@Suite("ConfigurationReloader", .timeLimit(.hang))
struct ConfigurationReloaderTests {
    private static let patience = Duration.seconds(30)

    /// A reloader whose source blocks until the gate is opened.
    private struct Blocked {
        let clock = ManualClock()
        let gate = Gate()
        /// The reads that have begun.
        let reads = EventLog<Void>()
        let applied = EventLog<Void>()
        let log = RecordedLog()
        let reloader: ConfigurationReloader

        init() throws {
            let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
            let source = ConfigurationSource { [reads, gate] inForce throws(ConfigurationError) in
                reads.append()
                gate.wait()
                return try loader.load(Array("logging: {level: debug}".utf8), file: "a.yaml", replacing: inForce)
            }
            let inForce = try loader.load([], file: "a.yaml").configuration
            reloader = ConfigurationReloader(
                source, inForce: inForce, patience: ConfigurationReloaderTests.patience, timer: SharedTimer(clock),
                logger: log.logger)
            reloader.open({ [applied] _ in applied.append() }, didApply: { _ in })
        }

        /// Reloads for longer than a caller waits, and returns the outcome.
        func reloadUntilOverdue() async -> ReloadOutcome {
            async let waiting = reloader.reload()
            _ = await reads.first(1)
            await clock.sleepers(1)
            clock.advance(by: ConfigurationReloaderTests.patience + .seconds(1))
            return await waiting
        }
    }

    @Test("A caller waits for a limited time for a file that is not read, and the reload goes on without it")
    func overdue() async throws {
        let blocked = try Blocked()
        // The second one waits for the next reload, which cannot begin.
        for _ in 0..<2 {
            let outcome = await blocked.reloadUntilOverdue()
            guard case .underWay = outcome else {
                Issue.record("the caller has another outcome: \(outcome)")
                continue
            }
        }
        for _ in 0..<2 { blocked.gate.open() }
        _ = await blocked.applied.first(1)
        _ = await blocked.reads.first(2)
    }

    @Test("A reload that outlasts its callers is logged once, however many they are")
    func overdueLog() async throws {
        let blocked = try Blocked()
        // The first one begins a reload; the others wait for the next one, which cannot begin.
        for _ in 0..<4 { _ = await blocked.reloadUntilOverdue() }
        let lines = blocked.log.lines.filter { $0.message == "Configuration not reloaded yet; the reload goes on" }
        #expect(lines.map { $0["waited"] } == ["30s", "30s"])
        for _ in 0..<2 { blocked.gate.open() }
        _ = await blocked.reads.first(2)
        _ = await blocked.applied.first(1)
    }

    @Test("A stop does not wait for a file that is not read, and tells the callers of its reload and of the next one")
    func closed() async throws {
        let blocked = try Blocked()
        async let first = blocked.reloader.reload()
        _ = await blocked.reads.first(1)
        let next = blocked.reloader.nextReload()
        await blocked.reloader.close()
        async let second = next.outcome(within: Self.patience, by: SharedTimer(blocked.clock))
        for outcome in await [first, second] {
            guard case .unavailable = outcome else {
                Issue.record("the caller has another outcome: \(outcome)")
                continue
            }
        }
        #expect(blocked.applied.events.isEmpty)
        blocked.gate.open()
    }

    @Test("A caller that is canceled still gets the outcome: its client may only have closed its sending side")
    func canceled() async throws {
        let blocked = try Blocked()
        let caller = Task { await blocked.reloader.reload() }
        _ = await blocked.reads.first(1)
        caller.cancel()
        blocked.gate.open()
        guard case .applied = await caller.value else {
            Issue.record("the caller has another outcome")
            return
        }
    }

    @Test("Reloads that are requested during another one are one reload, which reads the file after all of them")
    func shared() async throws {
        let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
        let (reads, gate) = (EventLog<Void>(), Gate())
        let source = ConfigurationSource { inForce throws(ConfigurationError) in
            reads.append()
            gate.wait()
            return try loader.load(Array("logging: {level: debug}".utf8), file: "a.yaml", replacing: inForce)
        }
        let inForce = try loader.load([], file: "a.yaml").configuration
        let timer = SharedTimer(ManualClock())
        let reloader = ConfigurationReloader(
            source, inForce: inForce, patience: Self.patience, timer: timer, logger: Logger(label: "test"))
        reloader.open({ _ in }, didApply: { _ in })
        let first = reloader.nextReload()
        _ = await reads.first(1)
        let others = (0..<100).map { _ in reloader.nextReload() }
        #expect(Set(others.map { ObjectIdentifier($0) }).count == 1)
        #expect(others.first !== first)
        for _ in 0..<2 { gate.open() }
        for reload in [first] + others {
            guard case .applied = await reload.outcome(within: Self.patience, by: timer) else {
                Issue.record("the reload has another outcome")
                return
            }
        }
        #expect(reads.events.count == 2)
    }

    /// The configuration could not be applied.
    private struct NotApplied: Error {}

    @Test("The configuration that is being applied may be in force beside the former one, until one of them is")
    func possible() async throws {
        let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
        let source = ConfigurationSource { inForce throws(ConfigurationError) in
            try loader.load(Array("logging: {level: debug}".utf8), file: "a.yaml", replacing: inForce)
        }
        let inForce = try loader.load([], file: "a.yaml").configuration
        for fails in [true, false] {
            let reloader = ConfigurationReloader(
                source, inForce: inForce, patience: Self.patience, timer: SharedTimer(ManualClock()),
                logger: Logger(label: "test"))
            let levels = EventLog<[LoggingConfiguration.Level]>()
            let possible = { @Sendable in reloader.possible.map(\.logging.level) }
            reloader.open(
                { _ in
                    levels.append(possible())
                    if fails { throw NotApplied() }
                }, didApply: { _ in })
            _ = await reloader.reload()
            #expect(levels.events == [[.info, .debug]])
            #expect(possible() == [fails ? .info : .debug])
            await reloader.close()
        }
    }

    @Test("A stop does not wait for a file that is still being read, and nothing is applied afterwards")
    func blockedRead() async throws {
        let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
        let (began, gate) = (Signal<Void>(), Gate())
        let source = ConfigurationSource { inForce throws(ConfigurationError) in
            began.send()
            gate.wait()
            return try loader.load(Array("logging: {level: debug}".utf8), file: "a.yaml", replacing: inForce)
        }
        let inForce = try loader.load([], file: "a.yaml").configuration
        let reloader = ConfigurationReloader(
            source, inForce: inForce, patience: Self.patience, timer: SharedTimer(ManualClock()),
            logger: Logger(label: "test"))
        reloader.open({ _ in Issue.record("applied") }, didApply: { _ in Issue.record("applied") })
        async let outcome = reloader.reload()
        await began.wait()
        await reloader.close()
        gate.open()
        guard case .unavailable = await outcome else {
            Issue.record("the reload has another outcome")
            return
        }
    }
}
