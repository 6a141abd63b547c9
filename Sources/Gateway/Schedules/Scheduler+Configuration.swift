import Configuration
import Logging
import TaskStore

/// The schedules of the configuration.
extension Scheduler {
    /// Brings the schedules of a configuration in force, which was checked: new ones are made, those that are not in it
    /// any more removed; one that is as it was goes on, one that has other times counts them from now.
    ///
    /// What operators did stays: a suspended one is suspended. A schedule that a client has made gives way to one of the
    /// same name.
    func apply(_ configuration: GatewayConfiguration) async throws(TaskStoreError) {
        configure(maxDepth: configuration.server.maxDepth)
        let names = Set(configuration.schedules.map(\.name))
        for schedule in all where schedule.record.origin == .configuration && !names.contains(schedule.record.name) {
            let name = schedule.record.name
            try await turns.take(name) { [self] () async throws(TaskStoreError) in
                _ = try await store.removeSchedule(name)
                keep(name, nil)
            }
        }
        for schedule in configuration.schedules {
            try await turns.take(schedule.name) { [self] () async throws(TaskStoreError) in
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
                "A schedule of the configuration is left out",
                metadata: ["schedule": "\(name)", "reason": "\(error.message)"])
            return
        }
        var current = self[name]
        if current?.record.origin == .api {
            logger.warning(
                "A schedule of the configuration replaces one that a client has made",
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
            // Another task at the same times has missed what the one before has.
            if former.timing != definition.timing { record.nextRunAt = record.isSuspended ? nil : next }
        }
    }
}
