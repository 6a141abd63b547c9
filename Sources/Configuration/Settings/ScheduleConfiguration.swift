import YAML

/// A schedule that the configuration says: an item of `schedules`.
package struct ScheduleConfiguration: Sendable, Hashable {
    /// The name.
    package var name = ""
    /// When tasks are made: a cron expression that is one.
    package var cron = ""
    /// By whose clock: a time zone that there is.
    package var timeZone = "UTC"
    /// What becomes of times at which no task could be made.
    package var missed = Missed.skip
    /// What is made.
    package var task = ScheduledTask()

    /// What becomes of times that passed while the gateway did not run, or its clock jumped over.
    package enum Missed: String, Sendable, Hashable, CaseIterable {
        /// Nothing: the next task is made at the next time.
        case skip
        /// One task is made for all of them as soon as possible.
        case runOnce = "run_once"
    }
}

extension ScheduleConfiguration {
    static let settings = SettingGroup(
        ScheduleConfiguration(),
        [
            Setting(
                "cron", \.cron, .cron, isRequired: true,
                """
                When a task is made: minute, hour, day of the month, month and day of the week, such as \
                `30 6 * * MON-FRI`, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
                """),
            Setting(
                "time_zone", \.timeZone, .timeZone,
                """
                By whose clock, such as `Europe/Berlin`. A time that a change of the clock skips happens right after the \
                change, one that comes twice happens the first time; what happens every hour goes by the time that passes.
                """),
            Setting(
                "missed", \.missed, .choice(),
                """
                What becomes of times that are more than a minute past, as the gateway did not run: `skip` leaves them \
                out, `run_once` makes one task for all of them.
                """),
            Setting(
                "task", \.task, .scheduledTask, isRequired: true,
                """
                The task, with the members that `POST /v1/tasks` takes, but for `not_before`, `deadline` and \
                `idempotency_key`. Values without quotes are numbers, booleans and null where they look like it (YAML 1.2).
                """),
        ])
}

extension SettingType where Value == [ScheduleConfiguration] {
    /// Schedules by name.
    static var schedules: SettingType {
        SettingType(
            shape: .map(keys: "schedule names", .group(ScheduleConfiguration.settings.shape)),
            read: { node, _, reader in
                guard let node else { return nil }
                return reader.mapping(of: node).members.map { member in
                    if let reason = ScheduleName.reasonToRefuse(member.key) {
                        reader.report(reason, atKeyOf: member)
                    }
                    return reader.enter(.key(member.key), member.value) { reader in
                        var schedule = ScheduleConfiguration()
                        schedule.name = member.key
                        return ScheduleConfiguration.settings.read(member.value, onto: schedule, &reader)
                    }
                }
            },
            write: { schedules in
                .mapping(schedules.map { ($0.name, ScheduleConfiguration.settings.write($0)) })
            },
            comparison: .bySchedule)
    }
}

extension SettingComparison where Value == [ScheduleConfiguration] {
    /// Schedules are told by their names alone: each comes, goes or changes as a whole.
    fileprivate static var bySchedule: SettingComparison {
        SettingComparison { former, new in
            let kept = Set(former).intersection(new)
            var names: Set<String> = []
            return (new + former).filter { !kept.contains($0) && names.insert($0.name).inserted }.map {
                SettingChange(path: YAMLPath([.key($0.name)]), reload: .live)
            }
        } keepRestartOnly: { _, _ in
        }
    }
}

/// What schedules may be called: as sessions may.
package enum ScheduleName {
    /// Why a name is refused, or `nil` when it is not.
    package static func reasonToRefuse(_ name: String) -> String? {
        SessionName.isName(name) ? nil : SessionName.expectation
    }
}
