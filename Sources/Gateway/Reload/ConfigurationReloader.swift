import Configuration
import Dispatch
import Locking
import Logging

/// Reads the configuration again and puts it in force, one reload at a time: as a whole or not at all.
///
/// ```
/// read and check everything ──problems──▶ refused: nothing has changed
///          │
///          ▼
/// keep what needs a restart ──▶ put the rest in force ──▶ applied
/// ```
///
/// Any thread.
final class ConfigurationReloader: Sendable {
    /// Puts a configuration in force; throws before it has changed anything.
    typealias Apply = @Sendable (GatewayConfiguration) async throws -> Void

    private let source: ConfigurationSource?
    private let logger: Logger
    private let turns = Turns()
    private let state: Mutex<State>

    private struct State {
        var inForce: GatewayConfiguration
        /// `nil` before the gateway is open and after it was closed.
        var apply: Apply?
    }

    /// Where files are read, so that no other thread waits for a disk.
    private static let files = DispatchQueue(label: "errand.configuration")

    /// - Parameters:
    ///   - source: Where to read from; `nil` when there is nothing to reload.
    ///   - inForce: What the gateway begins with.
    init(_ source: ConfigurationSource?, inForce: GatewayConfiguration, logger: Logger) {
        self.source = source
        self.logger = logger
        state = Mutex(State(inForce: inForce, apply: nil))
    }

    /// What is in force.
    var inForce: GatewayConfiguration {
        state.withLock { $0.inForce }
    }

    /// Lets reloads happen from now on.
    func open(_ apply: @escaping Apply) {
        state.withLock { $0.apply = apply }
    }

    /// Waits for the reload under way, if any; none happens after it.
    func close() async {
        await turns.take("") { [self] in state.withLock { $0.apply = nil } }
    }

    /// Reads the configuration and puts it in force.
    ///
    /// What has begun is done to its end, whether or not anybody waits for it.
    func reload() async -> ReloadOutcome {
        let outcome = await turns.take("") { [self] in await read() }
        log(outcome)
        return outcome
    }

    private func read() async -> ReloadOutcome {
        guard let source, let apply = state.withLock({ $0.apply }) else { return .unavailable }
        let reloaded: ReloadedConfiguration
        do throws(ConfigurationError) {
            reloaded = try await read(source)
            try reloaded.refuse(for: await ScheduleCheck.problems(of: reloaded.configuration))
        } catch {
            return .refused(error)
        }
        do {
            if !reloaded.changed.isEmpty { try await apply(reloaded.configuration) }
        } catch {
            return .failed(error)
        }
        state.withLock { $0.inForce = reloaded.configuration }
        source.didApply(reloaded.configuration)
        return .applied(reloaded)
    }

    private func read(_ source: ConfigurationSource) async throws(ConfigurationError) -> ReloadedConfiguration {
        let inForce = inForce
        let result = await withCheckedContinuation { continuation in
            Self.files.async {
                continuation.resume(
                    returning: Result { () throws(ConfigurationError) in try source.read(inForce) })
            }
        }
        return try result.get()
    }

    // MARK: The log

    private func log(_ outcome: ReloadOutcome) {
        switch outcome {
        case .applied(let reloaded):
            for warning in reloaded.warnings {
                logger.warning("A risky setting", metadata: ["setting": "\(warning)"])
            }
            logger.notice("Configuration reloaded", metadata: ["changed": .list(reloaded.changed)])
            if !reloaded.restartRequired.isEmpty {
                logger.warning(
                    "Changed settings wait for a restart", metadata: ["settings": .list(reloaded.restartRequired)])
            }
        case .refused(let error):
            for problem in error.problems {
                logger.error(
                    "The configuration has a problem", metadata: ["problem": "\(problem.text(file: error.file))"])
            }
            logger.error(
                "The configuration was not reloaded and stays as it was",
                metadata: ["problems": "\(error.problems.count)"])
        case .failed(let error):
            logger.error(
                "The configuration could not be put in force and stays as it was", metadata: ["error": "\(error)"])
        case .unavailable:
            logger.warning("The configuration was not reloaded, as the gateway is not open")
        }
    }
}

extension Logger.MetadataValue {
    fileprivate static func list(_ items: [String]) -> Logger.MetadataValue {
        .array(items.map { .string($0) })
    }
}
