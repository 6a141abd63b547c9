import Dispatch
package import ErrandConfiguration
import ErrandLocking
package import ErrandSettings
import ErrandTaskEngine
package import ErrandTaskEvents
import ErrandTime
package import Logging

/// A serial reloader of the configuration, which applies it as a whole or not at all.
///
/// At most one reload is under way, and at most one waits for its end: all callers that arrive meanwhile share it. The
/// files may be on a disk that does not answer: callers wait for a limited time, and the reload goes on without them.
///
/// ```
/// read and validate ──problems──▶ refused: nothing has changed
///          │
///          ▼
/// skip settings that need a restart ──▶ apply the others ──▶ applied
/// ```
///
/// Any thread.
package final class ConfigurationReloader: Sendable {
    /// Applies a configuration; throws only before it has changed anything.
    package typealias Apply = @Sendable (GatewayConfiguration) async throws -> Void
    /// Updates parts outside the gateway, such as the log level, for the configuration in force.
    package typealias DidApply = @Sendable (GatewayConfiguration) async -> Void

    private let source: ConfigurationSource?
    private let logger: Logger
    private let patience: Duration
    /// Ends the waits of callers.
    private let timer: SharedTimer
    /// One reload at a time, with the reading of its files.
    private let reloads = SerialQueue()
    /// The part of a reload that changes the gateway.
    private let changes = SerialQueue()
    private let state: Mutex<State>

    private struct State {
        var inForce: GatewayConfiguration
        /// The configuration that is being applied; `nil` while there is none.
        var applying: GatewayConfiguration?
        /// `nil` before the gateway is open and after it is closed.
        var steps: Steps?
        /// The reload that has not begun.
        var next: ReloadRun?
        /// The reload that reads its files.
        var reading: ReloadRun?
    }

    /// The steps of a reload once the configuration is valid.
    private struct Steps {
        let apply: Apply
        let didApply: DidApply
    }

    /// The queue for file access, so that no thread of the cooperative pool blocks.
    private static let files = DispatchQueue(label: "errand.configuration")

    /// - Parameters:
    ///   - source: The source of the configuration; `nil` if it cannot be reloaded.
    ///   - inForce: The initial configuration.
    ///   - patience: The longest time that a caller waits for a reload.
    ///   - timer: Measures that time.
    package init(
        _ source: ConfigurationSource?, inForce: GatewayConfiguration, patience: Duration,
        timer: SharedTimer = SharedTimer(ContinuousClock()), logger: Logger
    ) {
        self.source = source
        self.patience = patience
        self.timer = timer
        self.logger = logger
        state = Mutex(State(inForce: inForce))
    }

    /// The configuration in force.
    package var inForce: GatewayConfiguration {
        state.withLock { $0.inForce }
    }

    /// The configuration in force, and the one that is being applied, parts of which may be in force already.
    var possible: [GatewayConfiguration] {
        state.withLock { state in [state.inForce] + (state.applying.map { [$0] } ?? []) }
    }

    /// Enables reloads.
    package func open(_ apply: @escaping Apply, didApply: @escaping DidApply) {
        state.withLock { $0.steps = Steps(apply: apply, didApply: didApply) }
    }

    /// Disables reloads, and waits for one that is being applied.
    ///
    /// Does not wait for one that still reads its files, which may take for ever on a network disk: it changes nothing,
    /// and its callers are told that reloads are not available.
    package func close() async {
        state.withLock { $0.steps = nil }
        await changes.run {}
        let (reading, next) = state.withLock { ($0.reading, $0.next) }
        reading?.end(with: .unavailable)
        next?.end(with: .unavailable)
    }

    /// Reads the configuration and applies it.
    ///
    /// The wait is limited, and does not end with the calling task: a client that has closed its sending side after the
    /// request still gets the response, and cannot be told from one that has left. The reload completes in any case.
    package func reload() async -> ReloadOutcome {
        await nextReload().outcome(within: patience, by: timer)
    }

    /// Returns a reload that has not begun, and so finds the files as they are now, or newer.
    func nextReload() -> ReloadRun {
        state.withLock { state -> ReloadRun in
            if let next = state.next { return next }
            // The log has one line for all callers.
            let next = ReloadRun(onOverdue: { [self] in log(.underWay) })
            Task { await reloads.run { [self] in next.end(with: await perform(next)) } }
            state.next = next
            return next
        }
    }

    private func perform(_ run: ReloadRun) async -> ReloadOutcome {
        state.withLock { state in
            state.next = nil
            state.reading = run
        }
        let outcome = await readAndApply()
        log(outcome)
        return outcome
    }

    private func readAndApply() async -> ReloadOutcome {
        defer { state.withLock { $0.reading = nil } }
        guard let source, state.withLock({ $0.steps }) != nil else { return .unavailable }
        let reloaded: ReloadedConfiguration
        do throws(ConfigurationError) {
            reloaded = try await read(source)
            try reloaded.refuse(for: await ScheduleCheck.problems(of: reloaded.configuration))
        } catch {
            return .refused(await ScheduleCheck.completing(error))
        }
        state.withLock { $0.reading = nil }
        return await changes.run { [self] in await apply(reloaded) }
    }

    private func apply(_ reloaded: ReloadedConfiguration) async -> ReloadOutcome {
        guard let steps = state.withLock({ $0.steps }) else { return .unavailable }
        state.withLock { $0.applying = reloaded.configuration }
        do {
            if !reloaded.changed.isEmpty { try await steps.apply(reloaded.configuration) }
        } catch {
            state.withLock { $0.applying = nil }
            return .failed(error)
        }
        state.withLock { state in
            state.inForce = reloaded.configuration
            state.applying = nil
        }
        await steps.didApply(reloaded.configuration)
        return .applied(reloaded)
    }

    private func read(_ source: ConfigurationSource) async throws(ConfigurationError) -> ReloadedConfiguration {
        let inForce = inForce
        return try await Self.files.perform { () throws(ConfigurationError) in try source.read(inForce) }
    }

    // MARK: The log

    private func log(_ outcome: ReloadOutcome) {
        switch outcome {
        case .applied(let reloaded):
            for warning in reloaded.warnings {
                logger.warning("Risky setting", metadata: ["setting": "\(warning)"])
            }
            for change in reloaded.loweredLimits {
                logger.warning("Limit lowered to the maximum that the system allows", metadata: ["limit": "\(change)"])
            }
            logger.notice("Configuration reloaded", metadata: ["changed": .list(reloaded.changed)])
            if !reloaded.restartRequired.isEmpty {
                logger.warning(
                    "Changed settings require a restart", metadata: ["settings": .list(reloaded.restartRequired)])
            }
        case .refused(let error):
            for problem in error.problems {
                logger.error(
                    "Configuration problem", metadata: ["problem": "\(problem.text(file: error.file))"])
            }
            logger.error(
                "Configuration not reloaded; the previous one stays in force",
                metadata: ["problems": .stringConvertible(error.problems.count)])
        case .failed(let error):
            logger.error(
                "Configuration not applied; the previous one stays in force", metadata: ["error": "\(error)"])
        case .underWay:
            logger.warning(
                "Configuration not reloaded yet; the reload goes on", metadata: ["waited": "\(patience.shortText)"])
        case .unavailable:
            logger.warning("Configuration not reloaded; the gateway is not open")
        }
    }
}

extension Logger.MetadataValue {
    fileprivate static func list(_ items: [String]) -> Logger.MetadataValue {
        .array(items.map { .string($0) })
    }
}

/// The outcome of a reload.
package enum ReloadOutcome: Sendable {
    /// The configuration is in force, except settings that need a restart.
    case applied(ReloadedConfiguration)
    /// The configuration is invalid; the previous one stays in force.
    case refused(ConfigurationError)
    /// The configuration is valid but could not be applied; the previous one stays in force.
    case failed(any Error)
    /// The reload has not ended in the time that a caller waits, and goes on.
    case underWay
    /// The gateway is not open, or has no configuration source.
    case unavailable
}
