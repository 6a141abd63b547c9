package import ErrandSessionCore
import ErrandSessionSettings
import ErrandSettings
import ErrandYAML

/// The complete, typed and validated configuration of the gateway, from its file and environment.
package struct GatewayConfiguration: Sendable {
    /// The server.
    package var server = GatewayServerConfiguration()
    /// Authentication and permissions.
    package var auth = AuthConfiguration()
    /// The store of tasks.
    package var store = StoreConfiguration()
    /// The location of files.
    package var files = FilesConfiguration()
    /// The notification of receivers when tasks end.
    package var callbacks = CallbackConfiguration()
    /// The start of tasks.
    package var dispatcher = DispatcherConfiguration()
    /// Logging.
    package var logging = LoggingConfiguration()
    /// The spans of tasks.
    package var tracing = TracingConfiguration()
    /// The session of tasks that do not name one; it exists.
    package var defaultSession: String?
    /// The sessions in the order of the file, each with its name and the settings inherited from `session_defaults`.
    ///
    /// The session for callbacks is always present. It is the last one unless the file declares it.
    package var sessions: [SessionConfiguration] = []
    /// The schedules in the order of the file.
    package var schedules: [ScheduleConfiguration] = []

    /// The settings that sessions inherit.
    var sessionDefaults = SessionConfiguration.gatewayDefaults

    /// Returns the session with a name.
    package func session(named name: String) -> SessionConfiguration? {
        sessions.first { $0.name == name }
    }

    /// The warning about a configuration without sessions for tasks; `nil` if there is one.
    package var missingSessions: String? {
        guard sessions.allSatisfy({ $0.name == SessionConfiguration.callbacksName }) else { return nil }
        return """
            there is none, so no task can be created; add one, such as {example: {base_url: https://api.example.com/}}; \
            in a container, mount your file over the one that ERRAND_CONFIG names
            """
    }
}

extension GatewayConfiguration {
    /// All settings: the root of the declarations.
    static let settings = SettingGroup(
        GatewayConfiguration(),
        [
            Setting("server", \.server, .group(GatewayServerConfiguration.settings), "The HTTP server of the gateway."),
            Setting("auth", \.auth, .group(AuthConfiguration.settings), "Authentication and permissions of clients."),
            Setting("store", \.store, .group(StoreConfiguration.settings), "The store of tasks."),
            Setting("files", \.files, .group(FilesConfiguration.settings), "The directories of files."),
            Setting(
                "callbacks", \.callbacks, .group(CallbackConfiguration.settings),
                "Callbacks, which notify receivers when tasks end."),
            Setting(
                "dispatcher", \.dispatcher, .group(DispatcherConfiguration.settings),
                "Global limits of running and queued tasks."),
            Setting("logging", \.logging, .group(LoggingConfiguration.settings), "Logging."),
            Setting(
                "tracing", \.tracing, .group(TracingConfiguration.settings),
                "The spans of tasks that belong to a trace of their client."),
            Setting(
                "default_session", \.defaultSession, .nullable(.text("name of a session")),
                "The session of tasks that do not name one. It must exist; null for none."),
            Setting(
                "session_defaults", \.sessionDefaults, initial: GatewayConfiguration(), isPrinted: false,
                """
                The settings that every session inherits, the same as in `sessions.NAME`. Each is inherited \
                separately: a session that sets `timeouts.idle` still inherits the other timeouts.
                """
            ) { _ in .group(SessionConfiguration.gatewaySettings) },
            Setting(
                "sessions", \.sessions, initial: GatewayConfiguration(),
                """
                The sessions by name. A name is a lower-case letter, followed by up to 63 lower-case letters, \
                digits, `_` and `-`. The session `callbacks` always exists, even if it is not declared: it sends the \
                callbacks of tasks that do not name another session for them, and runs no other tasks. From \
                `session_defaults` it inherits `security` without the client certificate, `connection`, `timeouts` \
                (with a `total` of at most 30 s), `limits` without `max_queued`, `egress` and `user_agent`. It \
                refuses settings that have no effect on callbacks: `allow_methods`, `redirects`, \
                `forward_idempotency_key`, `limits.max_queued`, those of `request` except for `content_digest` and \
                `expect_continue`, those of `response` except for `disposition.max_body` and \
                `disposition.unacceptable`, and those of `retry` except for `budget` and `respect_retry_after`.
                """
            ) { configuration in
                let callbacks = SessionConfiguration.callbacks(inheriting: configuration.sessionDefaults)
                return .sessions(
                    SessionConfiguration.gatewaySettings, inheriting: configuration.sessionDefaults,
                    besides: BuiltInSession(callbacks, withoutEffect: CallbackSessionSettings.withoutEffect))
            },
            Setting(
                "schedules", \.schedules, .schedules,
                """
                The schedules, which create tasks repeatedly, by name. Names follow the rule for sessions. Schedules \
                that are created through the API exist in addition.
                """),
        ],
        check: check)

    @Sendable private static func check(
        _ configuration: GatewayConfiguration, in node: YAMLNode?, reportingTo reader: inout SettingReader
    ) {
        if reader.isReadable("auth"), reader.isSound("auth", "tokens"), reader.isSound("auth", "allow_anonymous"),
            reader.isReadable("server"), reader.isReadable("server", "listen"), configuration.auth.tokens.isEmpty,
            !configuration.auth.allowsAnonymous,
            let open = configuration.server.listen.first(where: { !$0.isLocal })
        {
            reader.report(
                """
                without auth.tokens only loopback addresses and Unix sockets are allowed, found \(open); add a \
                token, or set auth.allow_anonymous
                """, at: "server", "listen", in: node)
        }
        if reader.isSound("files", "data"), reader.isSound("store", "sqlite", "path") {
            configuration.files.check(
                besides: configuration.store.sqlite.path, in: node, reportingTo: &reader)
        }
        // Sessions have names even if their settings have problems.
        if reader.isReadable("sessions") { checkSessions(of: configuration, in: node, reportingTo: &reader) }
        let areSessionsKnown = reader.isReadable("sessions")
        if let name = configuration.defaultSession,
            let problem = problem(of: name, in: configuration, areSessionsKnown: areSessionsKnown)
        {
            reader.report(problem, at: "default_session", in: node)
        }
        if let collector = configuration.tracing.otlp, !collector.session.isEmpty {
            let name = collector.session
            if let problem = problem(of: name, in: configuration, areSessionsKnown: areSessionsKnown) {
                reader.report(problem, at: "tracing", "otlp", "session", in: node)
            } else if let session = configuration.session(named: name), reader.isReadable("session_defaults"),
                reader.isReadable("sessions", name)
            {
                collector.check(session, in: node, reportingTo: &reader)
            }
        }
    }

    /// Returns the reason for which the session of a name cannot be used for requests, if there is one.
    private static func problem(
        of name: String, in configuration: GatewayConfiguration, areSessionsKnown: Bool
    ) -> String? {
        if name == SessionConfiguration.callbacksName {
            return "expected another session; the session callbacks only sends callbacks"
        }
        guard areSessionsKnown, configuration.session(named: name) == nil else { return nil }
        return "there is no session with this name"
    }

    /// Checks that the sessions of tokens exist.
    private static func checkSessions(
        of configuration: GatewayConfiguration, in node: YAMLNode?, reportingTo reader: inout SettingReader
    ) {
        let names = Set(configuration.sessions.map(\.name))
        // Uses the nodes, because items that could not be read are missing in the tokens.
        let tokens = node?[YAMLPath(keys: ["auth", "tokens"])]?.items ?? []
        for (index, token) in tokens.enumerated() {
            for (place, item) in (token[YAMLPath(keys: ["sessions"])]?.items ?? []).enumerated() {
                let steps: [YAMLPath.Step] = [
                    .key("auth"), .key("tokens"), .index(index), .key("sessions"), .index(place),
                ]
                guard case .scalar(let name) = item.content, !names.contains(name.text), reader.isSound(steps) else {
                    continue
                }
                reader.report("there is no session with this name", at: steps, in: node)
            }
        }
    }
}
