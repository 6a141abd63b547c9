import ErrandSettings
import ErrandYAML

extension ConfigurationError {
    /// The configuration as far as it could be read, with those schedules whose dependencies have no problem.
    ///
    /// Their tasks can be validated, so that faults of these tasks are reported together with the other problems. `nil`
    /// if there is no such configuration.
    package var withJudgeableSchedules: GatewayConfiguration? {
        // A truncated list does not show which settings are free of problems.
        guard var configuration = partial as? GatewayConfiguration, problems.count < SettingReader.maxProblems,
            !problems.contains(where: { $0.path == YAMLPath(keys: ["sessions"]) }),
            isSound(session: ["session_defaults"])
        else { return nil }
        let defaultSession = configuration.defaultSession
        configuration.schedules.removeAll { !isJudgeable($0, defaultSession: defaultSession) }
        return configuration.schedules.isEmpty ? nil : configuration
    }

    private func isJudgeable(_ schedule: ScheduleConfiguration, defaultSession: String?) -> Bool {
        // A problem of the times does not affect the task.
        let path = YAMLPath(keys: ["schedules", schedule.name])
        guard !problems.contains(where: { $0.path == path }), !hasProblem(below: ["schedules", schedule.name, "task"])
        else { return false }
        if schedule.task.hasCallback, hasProblem(below: ["callbacks"]) { return false }
        if schedule.task.session == nil, hasProblem(below: ["default_session"]) { return false }
        guard let session = schedule.task.session ?? defaultSession else { return true }
        return isSound(session: ["sessions", session])
    }

    /// Settings of sessions that do not affect the validation of a task.
    private static let irrelevant: Set<String> = [
        "circuit_breaker", "connection", "cookies", "forward_idempotency_key", "limits", "reachability", "redirects",
        "security", "timeouts",
    ]

    private func isSound(session path: [String]) -> Bool {
        let path = YAMLPath(keys: path)
        return !problems.contains { problem in
            guard problem.path.hasPrefix(path) else { return false }
            guard case .key(let setting)? = problem.path.steps.dropFirst(path.steps.count).first else { return true }
            return !Self.irrelevant.contains(setting)
        }
    }

    private func hasProblem(below keys: [String]) -> Bool {
        let path = YAMLPath(keys: keys)
        return problems.contains { $0.path.hasPrefix(path) }
    }
}
