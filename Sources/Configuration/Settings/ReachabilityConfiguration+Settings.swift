import SessionCore
import YAML

extension ReachabilityConfiguration {
    static let settings = SettingGroup(
        ReachabilityConfiguration(),
        [
            Setting(
                "probe", \.probe, .probe,
                """
                Where the knowledge comes from. `passive`: the session's own transfers alone. `tcp`: also connections to \
                the host of `base_url`. `{http: PATH}`: also requests to a path, resolved against `base_url`; an answer \
                of 2xx or 3xx is a good one.
                """),
            Setting(
                "interval", \.interval, .duration(.seconds(1)...(.seconds(86_400))),
                "From the end of one probe to the next."),
            Setting(
                "hold_when_unreachable", \.holdsWhenUnreachable, .boolean,
                """
                Whether tasks wait while the upstream cannot be reached; then there are connections to find out when it \
                can be again, even with `passive`.
                """),
        ])

    /// Whether anything of it needs a base URL.
    var needsBaseURL: Bool {
        probe != .passive || holdsWhenUnreachable
    }
}

/// A probe with a request.
private struct HTTPProbe: Sendable {
    var path = ""

    static let settings = SettingGroup(
        HTTPProbe(),
        [
            Setting(
                "http", \.path, .text("path"), isRequired: true,
                "The path that is asked for with GET, on the origin of `base_url`.")
        ])
}

extension SettingType where Value == ReachabilityConfiguration.Probe {
    /// A word, or the mapping with the path of requests.
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
    /// The path of requests; `nil` without them.
    var path: String? {
        if case .http(let path) = self { path } else { nil }
    }
}
