import ErrandSessionCore
import ErrandSettings
import ErrandYAML

extension ReachabilityConfiguration {
    static let settings = SettingGroup(
        ReachabilityConfiguration(),
        [
            Setting(
                "probe", \.probeSetting, .probe,
                """
                The source of the reachability state. `passive`: only the session's own transfers. `tcp`: also \
                connections to the host of `base_url`. `{http: PATH}`: also requests to a path, resolved against \
                `base_url`; a response with 2xx or 3xx counts as success.
                """),
            Setting(
                "interval", \.interval, .duration(.seconds(1)...(.seconds(86_400))),
                "The time from the end of one probe to the start of the next."),
            Setting(
                "hold_when_unreachable", \.holdsWhenUnreachable, .boolean,
                """
                If true, tasks wait while the upstream is unreachable. The session then makes test connections even \
                with `passive`.
                """),
        ])

    /// True if the probe needs a base URL.
    var needsBaseURL: Bool {
        probe != .passive || holdsWhenUnreachable
    }

    /// The probe as a setting.
    fileprivate var probeSetting: ProbeSetting {
        get { ProbeSetting(probe: probe, isPathSecret: isProbePathSecret) }
        set { (probe, isProbePathSecret) = (newValue.probe, newValue.isPathSecret) }
    }
}

/// A probe as a setting; two with the same path differ if only one of them is shown.
private struct ProbeSetting: Sendable, Equatable {
    var probe: ReachabilityConfiguration.Probe
    var isPathSecret = false
}

/// A probe that sends a request.
private struct HTTPProbe: Sendable {
    var path = RedactableText("")

    static let settings = SettingGroup(
        HTTPProbe(),
        [
            Setting(
                "http", \.path, .redactable(.text("path")), isRequired: true,
                "The path that is requested with GET, on the origin of `base_url`. A path with `${…}` is not shown.")
        ])
}

extension SettingType where Value == ProbeSetting {
    /// The type of a probe: a word, or a mapping with the path of requests.
    fileprivate static var probe: SettingType {
        .either(
            SettingType<String>.word(["passive", "tcp"], orMapping: true)
                .mapped(
                    { ProbeSetting(probe: $0 == "tcp" ? .tcp : .passive) }, { $0.probe == .tcp ? "tcp" : "passive" }),
            or: SettingType<HTTPProbe>.group(HTTPProbe.settings)
                .mapped(
                    { ProbeSetting(probe: .http(path: $0.path.text), isPathSecret: $0.path.isSecret) },
                    { HTTPProbe(path: RedactableText($0.probe.path ?? "", isSecret: $0.isPathSecret)) }),
            isMapping: { $0.probe.path != nil })
    }
}

extension ReachabilityConfiguration.Probe {
    /// The path of requests; `nil` for other probes.
    var path: String? {
        if case .http(let path) = self { path } else { nil }
    }
}
