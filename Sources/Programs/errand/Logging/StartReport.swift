import ErrandConfiguration
import ErrandSessionCore
import Logging

/// The log lines about the configuration in force after a start.
struct StartReport {
    /// The configuration in force.
    let configuration: GatewayConfiguration
    /// The URLs and paths for clients.
    let listeners: [String]

    /// Logs the version and the most important settings; in further lines the risky settings, and that there is no
    /// session, if that is so.
    func log(to logger: Logger) {
        let sessions = configuration.sessions.count { $0.name != SessionConfiguration.callbacksName }
        logger.notice(
            "Gateway started",
            metadata: [
                "durability": .string(configuration.store.durability.rawValue),
                "listeners": .array(listeners.map { .string($0) }),
                "sessions": .stringConvertible(sessions),
                "store": .string(configuration.store.sqlite.path),
                "tls": .stringConvertible(configuration.server.tls != nil),
                "tokens": .stringConvertible(configuration.auth.tokens.count),
                "version": .string(Versions.errand),
            ])
        RiskReport(configuration).log(to: logger)
    }
}
