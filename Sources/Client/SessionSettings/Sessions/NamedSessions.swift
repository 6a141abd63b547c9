package import ErrandSessionCore
package import ErrandSettings

/// The sessions of a file that contains nothing else.
///
/// It has the sections `session_defaults` and `sessions` of the gateway's file.
package struct NamedSessions: Sendable {
    /// The settings that sessions inherit.
    package var defaults = SessionConfiguration(name: "")
    /// The sessions in the order of the file, each with its name and the inherited settings.
    package var sessions: [SessionConfiguration] = []

    /// Creates an empty value.
    package init() {}

    /// The settings of the file.
    package static let settings = SettingGroup(
        NamedSessions(),
        [
            Setting(
                "session_defaults", \.defaults, initial: NamedSessions(), isPrinted: false,
                "The settings that every session inherits, the same as in `sessions.NAME`, each separately."
            ) { _ in .group(SessionConfiguration.settings) },
            Setting("sessions", \.sessions, initial: NamedSessions(), "The sessions by name.") {
                .sessions(SessionConfiguration.settings, inheriting: $0.defaults)
            },
        ])
}
