import ErrandConfiguration
import ErrandSessionCore
import ErrandTransfer
import MicroHTTPServer

/// The summary of a valid configuration: what a start would listen on, where it would store tasks, and its sessions.
///
/// It contains no secret.
struct CheckReport {
    /// The lines, without those about risky settings.
    let lines: [String]

    /// The most sessions that are listed.
    private static let sessionLimit = 50

    /// Creates the summary.
    init(_ configuration: GatewayConfiguration) {
        let server = configuration.server
        let listeners = server.listen.map { ListenAddress($0).url(overTLS: server.tls != nil) }
        let store = configuration.store
        let isSealed = !store.encryptionKeys.isEmpty
        var lines = [
            "listeners: \(listeners.joined(separator: ", "))",
            "tokens: \(configuration.auth.tokens.count)",
            "store: \(store.sqlite.path) (durability \(store.durability.rawValue)\(isSealed ? ", encrypted" : ""))",
            "files: \(configuration.files.dataDirectory)",
        ]
        if !configuration.schedules.isEmpty { lines.append("schedules: \(configuration.schedules.count)") }
        let sessions = configuration.sessions.filter { $0.name != SessionConfiguration.callbacksName }
        lines.append("sessions: \(sessions.count)")
        let width = sessions.prefix(Self.sessionLimit).map(\.name.count).max() ?? 0
        for session in sessions.prefix(Self.sessionLimit) {
            let padding = String(repeating: " ", count: width - session.name.count)
            let base = session.baseURL.map(\.string) ?? "any URL"
            let isDefault = session.name == configuration.defaultSession
            lines.append("  \(session.name)\(padding)  \(base)\(isDefault ? " (default)" : "")")
        }
        if sessions.count > Self.sessionLimit { lines.append("  and \(sessions.count - Self.sessionLimit) more") }
        self.lines = lines
    }
}
