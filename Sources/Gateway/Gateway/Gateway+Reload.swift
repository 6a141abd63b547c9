import ErrandConfiguration
package import ErrandGatewayAPI
import ErrandHTTPServer
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import Logging

/// Reloads of the configuration.
extension Gateway {
    /// Reads the configuration, applies it, and logs the outcome.
    ///
    /// The wait is at most ``ClientPatience/reload``; a reload that takes longer goes on.
    ///
    /// - New requests are checked against the new limits, tokens and rules; accepted requests are not affected.
    /// - New attempts use the new configuration of their session.
    /// - Running attempts keep their session object. If the rules of the session changed, they start no more transfers,
    ///   and are repeated if that is safe.
    /// - Queued tasks of a removed session wait until it is configured again.
    /// - Settings that need a restart are not applied.
    @discardableResult
    package func reload() async -> ReloadOutcome {
        await reloader.reload()
    }

    /// Applies a configuration.
    ///
    /// - Throws: The error that prevented it; nothing has changed then.
    func apply(_ configuration: GatewayConfiguration) async throws {
        let former = Set(sessions.names)
        let names = configuration.sessions.map(\.name)
        let gone = former.subtracting(names)
        let controlStates = former.isSuperset(of: names) ? [] : try await store.sessionControlStates()
        let pipeline = try RequestPipeline(
            configuration, routes: endpoints.routes(for: configuration), audit: audit, replacing: self.pipeline.current)
        // Tasks of removed sessions must not start after this, and tasks of added sessions not before.
        dispatcher.withhold(gone)
        // Before the sessions are replaced, too: a schedule may be due before it is replaced in its turn.
        let number = scheduler.beginConfiguration()
        sessions.callbacks.apply(configuration.callbacks)
        await sessions.apply(
            configuration.sessions, defaultName: configuration.defaultSession, controlStates: controlStates)
        dispatcher.configure(
            maxRunning: configuration.dispatcher.maxRunning, window: configuration.dispatcher.window,
            retention: configuration.store.retention)
        context.configure(configuration)
        self.pipeline.replace(with: pipeline)
        do throws(TaskStoreError) {
            try await scheduler.apply(configuration, number: number)
        } catch {
            // The rest of the configuration is in force, and a stop must not wait for the store.
            scheduler.applyLater(configuration, after: error)
        }
        if !gone.isEmpty { await warnOfQueuedTasks() }
    }

    /// Logs a warning about queued tasks of removed sessions.
    private func warnOfQueuedTasks() async {
        do throws(TaskStoreError) {
            dispatcher.warnOfUnconfigured(try await store.counts())
        } catch {
            logger.error("Counting tasks of removed sessions failed", metadata: ["error": "\(error)"])
        }
    }
}
