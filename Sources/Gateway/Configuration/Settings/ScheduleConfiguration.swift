import ErrandSessionSettings
import ErrandSettings
import ErrandYAML

/// A schedule declared in the configuration: an item of `schedules`.
package struct ScheduleConfiguration: Sendable, Hashable {
    /// The name.
    package var name = ""
    /// The times of the tasks: a valid cron expression.
    package var cron = ""
    /// The time zone of the expression: a known name.
    package var timeZone = "UTC"
    /// The handling of missed times.
    package var missed = Missed.skip
    /// The task to create.
    package var task = ScheduledTask()

    /// The handling of times that passed while the gateway did not run, or that a clock change skipped.
    package enum Missed: String, Sendable, Hashable, CaseIterable {
        /// Ignores missed times; the next task is created at the next time.
        case skip
        /// Creates one task for all missed times as soon as possible.
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
                The times of the tasks: minute, hour, day of the month, month and day of the week, such as `30 6 * * \
                MON-FRI`, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
                """),
            Setting(
                "time_zone", \.timeZone, .timeZone,
                """
                The time zone of the expression, such as `Europe/Berlin`. A time that a clock change skips occurs \
                right after the change; a time that occurs twice counts once, the first time. Hourly tasks follow \
                elapsed time.
                """),
            Setting(
                "missed", \.missed, .choice(),
                """
                The handling of times that are more than a minute past because the gateway did not run. `skip` \
                ignores them; `run_once` creates one task for all of them.
                """),
            Setting(
                "task", \.task, .scheduledTask, isRequired: true,
                """
                The task, with the members of `POST /v1/tasks` except `not_before`, `deadline` and \
                `idempotency_key`. Unquoted values are numbers, Booleans or null if they look like it (YAML 1.2).
                """),
        ])
}

extension SettingType where Value == [ScheduleConfiguration] {
    /// The type of schedules by name.
    static var schedules: SettingType {
        SettingType(
            shape: .map(keys: "schedule names", .group(ScheduleConfiguration.settings.shape)),
            read: { node, _, reader in
                guard let node else { return nil }
                return reader.mapping(of: node).members.map { member in
                    if let reason = ScheduleName.reasonToRefuse(member.key) {
                        reader.report(reason, atKeyOf: member)
                    }
                    return reader.enter(.key(member.key), node: member.value) { reader in
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
    /// The comparison of schedules.
    ///
    /// They are reported by name alone, because each is added, removed or changed as a whole.
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

/// The rule for names of schedules, which is the rule for names of sessions.
package enum ScheduleName {
    /// Returns the reason to refuse a name, or `nil` if it is valid.
    package static func reasonToRefuse(_ name: String) -> String? {
        SessionName.isName(name) ? nil : SessionName.expectation
    }
}
