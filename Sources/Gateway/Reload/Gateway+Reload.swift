import Configuration
import HTTPServer
import Logging
import SessionCore
import TaskStore

/// Another configuration, while the gateway runs.
extension Gateway {
    /// Reads the configuration again and puts it in force; what came of it is logged.
    ///
    /// - Requests that come in are judged by the new limits, tokens and rules; those that were let in end as they began.
    /// - Attempts that begin have the new configuration of their session.
    /// - Attempts under way end with the session object that they began with. Where the session allows something else
    ///   than before, they begin no transfer any more, and are made anew where that does no harm.
    /// - Queued tasks of a session that is gone wait until it is back.
    /// - What needs a restart stays as it is.
    @discardableResult
    package func reload() async -> ReloadOutcome {
        await reloader.reload()
    }

    /// Puts a configuration in force.
    ///
    /// - Throws: What has kept it from changing anything.
    func apply(_ configuration: GatewayConfiguration) async throws {
        let former = Set(sessions.names)
        let names = configuration.sessions.map(\.name)
        let gone = former.subtracting(names)
        let marks = former.isSuperset(of: names) ? [] : try await store.sessionMarks()
        let door = try FrontDoor(
            configuration, routes: endpoints.routes(for: configuration), audit: audit, replacing: self.door.current)
        // Nothing of a session is started after it has gone, and nothing before it has come.
        dispatcher.withhold(gone)
        sessions.callbacks.apply(configuration.callbacks)
        await sessions.apply(configuration.sessions, defaultName: configuration.defaultSession, marks: marks)
        dispatcher.configure(
            maxRunning: configuration.dispatcher.maxRunning, window: configuration.dispatcher.window,
            retention: configuration.store.retention)
        self.door.replace(with: door)
        _ = await dispatcher.untilItWorks("storing the schedules of the configuration") {
            [scheduler] () async throws(TaskStoreError) in try await scheduler.apply(configuration)
        }
        if !gone.isEmpty { await warnOfQueuedTasks() }
    }

    /// Tells of tasks that wait for a session which has gone.
    private func warnOfQueuedTasks() async {
        do throws(TaskStoreError) {
            dispatcher.warnOfUnconfigured(try await store.counts())
        } catch {
            logger.error("The tasks of removed sessions could not be counted", metadata: ["error": "\(error)"])
        }
    }
}
