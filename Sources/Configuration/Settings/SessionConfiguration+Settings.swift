import HTTPTypes
import SessionCore
import Transfer
import YAML

extension SessionConfiguration {
    static let settings = SettingGroup(
        SessionConfiguration(name: ""),
        [
            Setting(
                "base_url", \.baseURL, .nullable(.url),
                """
                What the paths of tasks are resolved against (RFC 3986 §5.2); it carries no credentials. With null each \
                task names an absolute URL, and `url_scope` has to be `any`.
                """),
            Setting(
                "url_scope", \.urlScope, .choice(),
                """
                How far tasks may go. `base`: below the path of the base URL. `origin`: its scheme, host and port. `any`: \
                anywhere; default headers never leave the origin.
                """),
            Setting(
                "headers", \.headers, .headers,
                """
                Header fields of every request, unless the task has its own. They are added to those of \
                `session_defaults`; null removes one of them.
                """),
            Setting(
                "user_agent", \.userAgent, .nullable(.headerValue),
                "The `User-Agent` of every request, unless a header sets it; null for none."),
            Setting("allow_methods", \.allowedMethods, .list(of: .method), "The methods that tasks may use."),
            Setting("request", \.request, .group(RequestConfiguration.settings), "How requests are made."),
            Setting(
                "response", \.response, .group(ResponseConfiguration.settings), "How responses are judged and read."),
            Setting("connection", of: connectionSettings, "How connections are made and kept."),
            Setting(
                "timeouts", \.timeouts, .group(timeoutSettings),
                "Limits of time of one attempt; the time that a task is suspended does not count. Null for none."),
            Setting("limits", \.limits, .group(SessionLimits.settings), "How much the session does at a time."),
        ],
        unavailable: [
            "security", "credentials", "retry", "redirects", "cookies", "circuit_breaker", "reachability", "egress",
            "forward_idempotency_key",
        ])

    private static let connectionSettings = SettingGroup(
        SessionConfiguration(name: ""),
        [
            Setting(
                "http", \.connection.version, .choice(),
                """
                The version of HTTP. `auto`: HTTP/2 where TLS negotiates it. `2`: HTTP/2, on `http://` with prior \
                knowledge.
                """),
            Setting(
                "max_per_host", \.connection.maxConnectionsPerHost, .integer(1...10_000),
                "The most connections to one host at a time; `limits.concurrent` counts tasks."),
            Setting(
                "max_idle", \.connection.maxIdleConnections, .integer(0...10_000),
                "The most idle connections kept open."),
            Setting(
                "compression", \.acceptsCompression, .boolean,
                "Whether compressed responses are asked for, and decompressed when they come."),
        ],
        unavailable: ["proxy", "resolve", "interface"])

    private static let timeoutSettings = SettingGroup(
        defaultTimeouts,
        [
            Setting(
                "connect", \.connect, .nullable(.duration(range)),
                "For name lookup, connection and TLS handshake together."),
            Setting(
                "idle", \.idle, .nullable(.duration(range)), "The longest time without a byte in either direction."),
            Setting("total", \.total, .nullable(.duration(range)), "For the whole attempt."),
        ],
        unavailable: ["suspended_keep"])

    private static let range: ClosedRange<Duration> = .milliseconds(1)...(.seconds(31 * 86_400))
}

extension RequestConfiguration {
    fileprivate static let settings = SettingGroup(
        RequestConfiguration(),
        [
            Setting(
                "serializer", \.serializer, .choice(unavailable: ["form", "plist", "multipart"]),
                """
                What turns a task's `parameters` into content, unless the task chooses another. `json`: JSON, byte for \
                byte. `raw`: nothing does, a task brings its `body` itself.
                """),
            Setting(
                "parameters_in_url", \.methodsWithParametersInURL, .list(of: .method),
                "The methods whose `parameters` go into the query of the URL."),
        ],
        unavailable: [
            "arrays", "nested", "booleans", "nulls", "spaces", "json", "compress", "compress_min", "multipart_throttle",
        ])
}

extension SessionLimits {
    fileprivate static let settings = SettingGroup(
        SessionLimits(),
        [Setting("concurrent", \.concurrent, .integer(1...100_000), "The most tasks that run at once.")],
        unavailable: ["rate", "burst", "bytes_per_second", "max_queued"])
}
