import ErrandSettings

/// Traces: section `tracing`.
package struct TracingConfiguration: Sendable, Hashable {
    /// The collector of spans; `nil` for none.
    package var otlp: OTLP?

    /// A collector that takes spans over OTLP/HTTP.
    package struct OTLP: Sendable, Hashable {
        /// The session that requests to the collector are sent through; it exists.
        package var session = ""
        /// The path of the collector, relative to the session's base URL.
        package var path = "v1/traces"
        /// True if `${…}` has inserted something into the path, which is then not shown.
        package var isPathSecret = false
        /// The longest time for which a span waits for others, unless the collector fails.
        package var interval = Duration.seconds(5)
        /// The most spans that wait.
        package var maxQueued = 8192
        /// The name of the service in the spans.
        package var serviceName = "errand"

        /// Creates the defaults.
        package init() {}
    }

    /// Creates the defaults.
    package init() {}
}

extension TracingConfiguration {
    static let settings = SettingGroup(
        TracingConfiguration(),
        [
            Setting(
                "otlp", \.otlp, .nullable(.group(OTLP.settings)),
                """
                A collector that gets a span of each task and of each attempt, over OTLP/HTTP in JSON. Only tasks that \
                were created with a `traceparent` whose flag `sampled` is set have spans; null sends none.
                """)
        ])
}

extension TracingConfiguration.OTLP {
    fileprivate static let settings = SettingGroup(
        TracingConfiguration.OTLP(),
        [
            Setting(
                "session", \.session, .text("name of a session"), isRequired: true,
                """
                The session that requests to the collector are sent through, with its credentials and trust. It has a \
                `base_url`, and allows POST.
                """),
            Setting(
                "path", \.pathSetting, .redactable(.text("path")),
                """
                The path of the collector, resolved against the session's base URL: on its origin, and within \
                `url_scope`. A path with `${…}` is not shown.
                """),
            Setting(
                "interval", \.interval, .duration(.milliseconds(100)...(.seconds(600))),
                "The longest time for which a span waits for others. 512 waiting spans are sent at once."),
            Setting(
                "max_queued", \.maxQueued, .integer(1...1_000_000),
                "The most spans that wait while the collector does not take them. Further ones are lost, with a warning."
            ),
            Setting(
                "service_name", \.serviceName, .text(), "The name of the service in the spans (`service.name`)."),
        ])

    /// The path as a setting.
    private var pathSetting: RedactableText {
        get { RedactableText(path, isSecret: isPathSecret) }
        set { (path, isPathSecret) = (newValue.text, newValue.isSecret) }
    }
}
