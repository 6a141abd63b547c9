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
        try await apply(configuration, number: beginConfiguration())
    }

    /// Applies the schedules of a configuration in the background, as soon as the store permits, unless another
    /// configuration is applied before or the gateway ends.
    ///
    /// Until then the former schedules continue; a time whose task is rejected waits for the new ones.
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
                try await apply(configuration, number: number)
            }
        }
    }

    /// Applies the schedules of a checked configuration, as ``apply(_:)``, unless another one was applied since the one
    /// with this number.
    ///
    /// One configuration at a time: a newer one removes what an older one has stored, and the older one stops after the
    /// schedule that it is storing.
    package func apply(_ configuration: GatewayConfiguration, number: Int) async throws(TaskStoreError) {
        try await configurationQueue.run { [self] () async throws(TaskStoreError) in
            guard isCurrent(configuration: number) else { return }
            try await storeInTurn(configuration, number: number)
        }
    }

    private func storeInTurn(_ configuration: GatewayConfiguration, number: Int) async throws(TaskStoreError) {
        configure(maxDepth: configuration.server.requests.maxDepth)
        let schedules = schedules(of: configuration)
        // Before the first write: the store may be unable to write for long.
        for schedule in schedules { show(schedule) }
        let names = Set(configuration.schedules.map(\.name))
        for schedule in all where schedule.record.origin == .configuration && !names.contains(schedule.record.name) {
            let name = schedule.record.name
            try await serialQueue.run(key: name) { [self] () async throws(TaskStoreError) in
                guard isCurrent(configuration: number) else { return }
                _ = try await context.store.removeSchedule(name)
                drop(name)
            }
        }
        for schedule in schedules {
            try await serialQueue.run(key: schedule.name) { [self] () async throws(TaskStoreError) in
                guard isCurrent(configuration: number) else { return }
                try await apply(schedule)
            }
        }
        endConfiguration(number)
    }

    /// Returns the schedules of a configuration without those that cannot be read.
    private func schedules(of configuration: GatewayConfiguration) -> [ConfiguredSchedule] {
        configuration.schedules.compactMap { schedule -> ConfiguredSchedule? in
            do throws(ScheduleFault) {
                return try ConfiguredSchedule(schedule, defaultSession: configuration.defaultSession)
            } catch {
                logger.error(
                    "Skipped a schedule of the configuration",
                    metadata: ["schedule": "\(schedule.name)", "reason": "\(error.message)"])
                return nil
            }
        }
    }

    private func apply(_ configured: ConfiguredSchedule) async throws(TaskStoreError) {
        let current = self[configured.name]
        if current?.record.origin == .api {
            logger.warning(
                "A schedule of the configuration replaced one created by a client",
                metadata: ["schedule": "\(configured.name)"])
        }
        if !configured.isStored(as: current?.record) {
            _ = try await put(record(of: configured, replacing: current), after: current) { schedule in
                schedule.failure = nil
                schedule.configuredTask = configured.shownTask
            }
        }
        // Another process may have stored it instead.
        show(configured)
    }

    /// Sets what clients see of a task, unless the store has another definition.
    private func show(_ configured: ConfiguredSchedule) {
        change(configured.name) { schedule in
            guard configured.isStored(as: schedule.record) else { return }
            schedule.configuredTask = configured.shownTask
        }
    }

    private func record(of configured: ConfiguredSchedule, replacing former: Schedule?) -> ScheduleRecord {
        let definition = configured.definition
        let moment = now()
        guard let former else {
            return ScheduleRecord(
                name: configured.name, origin: .configuration, definition: configured.document,
                session: definition.session, createdAt: moment, nextRunAt: definition.timing.next(after: moment))
        }
        return former.changed(at: moment) { record in
            record.origin = .configuration
            record.definition = configured.document
            record.session = definition.session
            record.nextRunAt = former.nextRunAt(under: definition.timing, at: moment)
        }
    }
}

/// A schedule of the configuration, as it is stored and shown.
private struct ConfiguredSchedule: Sendable {
    let name: String
    let definition: ScheduleDefinition
    /// The document of the definition.
    let document: [UInt8]
    /// The document of its task without the secrets that only the configuration knows.
    let shownTask: [UInt8]

    init(_ configured: ScheduleConfiguration, defaultSession: String?) throws(ScheduleFault) {
        name = configured.name
        definition = try ScheduleDefinition(configured, defaultSession: defaultSession)
        document = definition.document
        shownTask = configured.task.shown
    }

    /// Returns true if this is the stored schedule.
    func isStored(as record: ScheduleRecord?) -> Bool {
        record?.origin == .configuration && record?.definition == document
    }
}
