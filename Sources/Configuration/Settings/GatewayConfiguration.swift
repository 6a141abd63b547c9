package import SessionCore
import YAML

/// Everything that the gateway is told by its file and environment: complete, typed and checked.
package struct GatewayConfiguration: Sendable {
    /// The server.
    package var server = ServerConfiguration()
    /// Who may use it.
    package var auth = AuthConfiguration()
    /// Where tasks are kept.
    package var store = StoreConfiguration()
    /// Where files are kept.
    package var files = FilesConfiguration()
    /// How the ends of tasks are told.
    package var callbacks = CallbackConfiguration()
    /// How tasks are started.
    package var dispatcher = DispatcherConfiguration()
    /// What is logged.
    package var logging = LoggingConfiguration()
    /// The session of tasks that name none; it exists.
    package var defaultSession: String?
    /// The sessions in the order of the file, each with its name and what `session_defaults` says.
    ///
    /// The one of callbacks is always among them, the last unless the file names it.
    package var sessions: [SessionConfiguration] = []
    /// The schedules in the order of the file.
    package var schedules: [ScheduleConfiguration] = []

    /// What sessions inherit.
    var sessionDefaults = SessionConfiguration(name: "")

    /// The session with a name.
    package func session(named name: String) -> SessionConfiguration? {
        sessions.first { $0.name == name }
    }
}

extension GatewayConfiguration {
    /// Every setting there is: the root of the declarations.
    static let settings = SettingGroup(
        GatewayConfiguration(),
        [
            Setting("server", \.server, .group(ServerConfiguration.settings), "The server that clients talk to."),
            Setting("auth", \.auth, .group(AuthConfiguration.settings), "Who may use the gateway."),
            Setting("store", \.store, .group(StoreConfiguration.settings), "Where tasks are kept."),
            Setting("files", \.files, .group(FilesConfiguration.settings), "Where files are kept."),
            Setting(
                "callbacks", \.callbacks, .group(CallbackConfiguration.settings),
                "How the ends of tasks are told to whoever wants to know."),
            Setting("dispatcher", \.dispatcher, .group(DispatcherConfiguration.settings), "How tasks are started."),
            Setting("logging", \.logging, .group(LoggingConfiguration.settings), "What is logged."),
            Setting(
                "default_session", \.defaultSession, .nullable(.text("name of a session")),
                "The session of tasks that name none. It has to exist; null for none."),
            Setting(
                "session_defaults", \.sessionDefaults, initial: GatewayConfiguration(), isPrinted: false,
                """
                What every session inherits: the settings of `sessions.NAME`, each by itself. A session that sets `timeouts.idle` keeps the other \
                timeouts from here.
                """
            ) { _ in .group(SessionConfiguration.settings) },
            Setting(
                "sessions", \.sessions, initial: GatewayConfiguration(),
                """
                The sessions by name: a lower-case letter, then up to 63 lower-case letters, digits, `_` and `-`. \
                The session `callbacks` is always there, whether or not it stands here: it carries the callbacks of tasks that \
                name no session for them, and no other task. Of `session_defaults` it inherits `security` without the \
                client certificate, `connection`, `timeouts` (but a `total` of 30 s at most), `limits`, `egress` and \
                `user_agent`.
                """
            ) { .sessions(inheriting: $0.sessionDefaults) },
            Setting(
                "schedules", \.schedules, .schedules,
                "What makes tasks again and again, by names as sessions have them. Those of the API are beside them."),
        ],
        check: check)

    @Sendable private static func check(
        _ configuration: GatewayConfiguration, _ node: YAMLNode?, _ reader: inout SettingReader
    ) {
        if reader.isSound("auth"), reader.isSound("server", "listen"), configuration.auth.tokens.isEmpty,
            !configuration.auth.allowsAnonymous,
            let open = configuration.server.listen.first(where: { !$0.isLocal })
        {
            reader.report(
                """
                without auth.tokens only loopback addresses and Unix sockets may be listened on, found \(open); add a token, or set \
                auth.allow_anonymous
                """, at: "server", "listen", in: node)
        }
        if reader.isSound("auth"), reader.isSound("sessions") {
            checkSessions(of: configuration, node, &reader)
        }
        if let name = configuration.defaultSession, reader.isSound("sessions"),
            configuration.session(named: name) == nil
        {
            reader.report("there is no session with this name", at: "default_session", in: node)
        }
        if configuration.defaultSession == SessionConfiguration.callbacksName {
            reader.report("the session callbacks carries callbacks, and no other task", at: "default_session", in: node)
        }
    }

    /// Tokens name sessions that exist.
    private static func checkSessions(
        of configuration: GatewayConfiguration, _ node: YAMLNode?, _ reader: inout SettingReader
    ) {
        let names = Set(configuration.sessions.map(\.name))
        for (index, token) in configuration.auth.tokens.enumerated() {
            for (place, name) in (token.sessions ?? []).enumerated() where !names.contains(name) {
                reader.report(
                    "there is no session with this name",
                    at: [.key("auth"), .key("tokens"), .index(index), .key("sessions"), .index(place)], in: node)
            }
        }
    }
}
