import ErrandSessionCore
import ErrandSessionSettings
import ErrandSettings
import ErrandYAML

/// The settings that have no effect in the session for callbacks.
///
/// Callbacks are sent with POST and as they were signed, follow no redirects, are delivered with any status of success,
/// and have their own schedule of attempts. The file may not set these settings there, and a printed configuration does
/// not have them.
enum CallbackSessionSettings {
    /// The settings, each with the reason.
    static let withoutEffect: [IneffectiveSetting] = {
        let attempts = ["max_attempts", "backoff", "max_elapsed", "methods", "statuses", "after_crash"].map { name in
            IneffectiveSetting("retry", name, reason: "callbacks have their own schedule of attempts: remove it")
        }
        return [
            IneffectiveSetting("allow_methods", reason: "callbacks are always sent with POST: remove it"),
            IneffectiveSetting("redirects", reason: "callbacks never follow redirects: remove it"),
            IneffectiveSetting("request", "compress", reason: "callbacks are sent as they were signed: remove it"),
            IneffectiveSetting("request", "compress_min", reason: "callbacks are sent as they were signed: remove it"),
            IneffectiveSetting(
                "response", "acceptable_statuses", reason: "callbacks are delivered with any status of 2xx: remove it"),
        ] + attempts
    }()

    /// Returns a session as a node of the file, without these settings if it is the session for callbacks.
    static func write(_ session: SessionConfiguration) -> YAMLNode {
        let node = SessionConfiguration.gatewaySettings.write(session)
        return session.name == SessionConfiguration.callbacksName ? withoutEffect.removed(from: node) : node
    }
}
