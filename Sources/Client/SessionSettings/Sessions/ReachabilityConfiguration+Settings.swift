import ErrandSessionCore
import ErrandSettings
import ErrandYAML

extension ReachabilityConfiguration {
    static let settings = SettingGroup(
        ReachabilityConfiguration(),
        [
            Setting(
                "probe", \.probe, .probe,
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
}

/// A probe that sends a request.
private struct HTTPProbe: Sendable {
    var path = ""

    static let settings = SettingGroup(
        HTTPProbe(),
        [
            Setting(
                "http", \.path, .text("path"), isRequired: true,
                "The path that is requested with GET, on the origin of `base_url`.")
        ])
}

extension SettingType where Value == ReachabilityConfiguration.Probe {
    /// The type of a probe: a word, or a mapping with the path of requests.
    fileprivate static var probe: SettingType {
        .either(
            SettingType<String>.word(["passive", "tcp"], orMapping: true)
                .mapped({ $0 == "tcp" ? .tcp : .passive }, { $0 == .tcp ? "tcp" : "passive" }),
            or: SettingType<HTTPProbe>.group(HTTPProbe.settings)
                .mapped({ .http(path: $0.path) }, { HTTPProbe(path: $0.path ?? "") }),
            isMapping: { $0.path != nil })
    }
}

extension ReachabilityConfiguration.Probe {
    /// The path of requests; `nil` for other probes.
    var path: String? {
        if case .http(let path) = self { path } else { nil }
    }
}
