package import ErrandConfiguration
import ErrandLocking
package import ErrandTaskStore
import Logging

/// The schedules of the configuration.
extension Scheduler {
    /// Applies the schedules of a checked configuration: creates new ones and removes those that are no longer in it.
    ///
    /// An unchanged schedule continues; one with other times counts them from now. A schedule that an operator has
    /// suspended stays suspended. A schedule that a client has created is replaced by one with the same name.
    package func apply(_ configuration: GatewayConfiguration) async throws(TaskStoreError) {
        try await store(configuration, number: beginConfiguration())
    }

    /// Applies the schedules of a configuration in the background, as soon as the store permits, unless another
    /// configuration is applied before or the gateway ends.
    ///
    /// Until then the former schedules continue.
    ///
    /// - Parameter error: The error with which ``apply(_:)`` has failed.
    package func applyLater(_ configuration: GatewayConfiguration, after error: TaskStoreError) {
        let number = beginConfiguration()
        logger.error(
            "The schedules of the configuration could not be stored; trying again in the background",
            metadata: ["error": "\(error.debugDescription)"])
        Task { [self] in
            _ = await context.retryingStoreErrors("storing the schedules of the configuration") {
                () async throws(TaskStoreError) in
                try await store(configuration, number: number)
            }
        }
    }

    /// Stores the schedules of a configuration, unless another one was applied since the one with this number.
    ///
    /// One configuration at a time: a newer one removes what an older one has stored, and the older one stops after the
    /// schedule that it is storing.
    private func store(_ configuration: GatewayConfiguration, number: Int) async throws(TaskStoreError) {
        try await configurationQueue.run(key: "") { [self] () async throws(TaskStoreError) in
            guard isCurrent(configuration: number) else { return }
            try await storeInTurn(configuration, number: number)
        }
    }

    private func storeInTurn(_ configuration: GatewayConfiguration, number: Int) async throws(TaskStoreError) {
        configure(maxDepth: configuration.server.requests.maxDepth)
        let names = Set(configuration.schedules.map(\.name))
        for schedule in all where schedule.record.origin == .configuration && !names.contains(schedule.record.name) {
            let name = schedule.record.name
            try await serialQueue.run(key: name) { [self] () async throws(TaskStoreError) in
                guard isCurrent(configuration: number) else { return }
                _ = try await context.store.removeSchedule(name)
                keep(name, nil)
            }
        }
        for schedule in configuration.schedules {
            try await serialQueue.run(key: schedule.name) { [self] () async throws(TaskStoreError) in
                guard isCurrent(configuration: number) else { return }
                try await apply(schedule, defaultSession: configuration.defaultSession)
            }
        }
    }

    private func apply(
        _ configured: ScheduleConfiguration, defaultSession: String?
    ) async throws(TaskStoreError) {
        let name = configured.name
        let definition: ScheduleDefinition
        do throws(ScheduleFault) {
            definition = try ScheduleDefinition(configured, defaultSession: defaultSession)
        } catch {
            logger.error(
                "Skipped a schedule of the configuration",
                metadata: ["schedule": "\(name)", "reason": "\(error.message)"])
            return
        }
        var current = self[name]
        if current?.record.origin == .api {
            logger.warning(
                "A schedule of the configuration replaced one created by a client",
                metadata: ["schedule": "\(name)"])
        }
        if current?.record.origin != .configuration || current?.record.definition != definition.document {
            current = try await put(record(name, definition, replacing: current), after: current)
            current?.failure = nil
        }
        current?.shownTask = configured.task.shown
        if let current { keep(name, current) }
    }

    private func record(
        _ name: String, _ definition: ScheduleDefinition, replacing former: Schedule?
    ) -> ScheduleRecord {
        let moment = now()
        let next = definition.timing.next(after: moment)
        guard let former else {
            return ScheduleRecord(
                name: name, origin: .configuration, definition: definition.document, session: definition.session,
                createdAt: moment, nextRunAt: next)
        }
        return former.changed(at: moment) { record in
            record.origin = .configuration
            record.definition = definition.document
            record.session = definition.session
            // With a new task but the same times, missed times still count.
            if former.timing != definition.timing { record.nextRunAt = record.isSuspended ? nil : next }
        }
    }
}
