import ErrandSessionCore
import ErrandSessionSettings
import ErrandSettings
import ErrandYAML

/// The settings that have no effect in the session for callbacks.
///
/// Callbacks are never refused, are sent with POST and as they were signed, follow no redirects, are delivered with any
/// status of success whatever the content of the response, and have their own schedule of attempts. The file may not set
/// these settings there, and a printed configuration does not have them.
enum CallbackSessionSettings {
    /// The settings, each with the reason.
    static let withoutEffect: [IneffectiveSetting] = rules + limits + request + response + attempts

    private static let rules = [
        IneffectiveSetting("allow_methods", reason: "callbacks are always sent with POST: remove it"),
        IneffectiveSetting("redirects", reason: "callbacks never follow redirects: remove it"),
        IneffectiveSetting(
            "forward_idempotency_key", reason: "callbacks have no idempotency key of a client: remove it"),
    ]

    private static let limits = [
        IneffectiveSetting("limits", "max_queued", reason: "callbacks are never refused: remove it")
    ]

    private static let request: [IneffectiveSetting] = {
        let parameters = [
            "serializer", "parameters_in_url", "arrays", "nested", "booleans", "nulls", "spaces", "json",
            "multipart_throttle",
        ].map { name in
            IneffectiveSetting("request", name, reason: "callbacks have no parameters: remove it")
        }
        let compression = ["compress", "compress_min"].map { name in
            IneffectiveSetting("request", name, reason: "callbacks are sent as they were signed: remove it")
        }
        return parameters + compression
    }()

    private static let response: [IneffectiveSetting] = {
        let reason = "only the status of the response to a callback matters: remove it"
        let status = IneffectiveSetting(
            "response", "acceptable_statuses", reason: "callbacks are delivered with any status of 2xx: remove it")
        let content = ["serializer", "acceptable_content_types", "remove_nulls", "json"].map { name in
            IneffectiveSetting("response", name, reason: reason)
        }
        // The content is stored up to 64 KiB in any case, and no serializer reads it.
        let disposition = ["over_limit", "become_download_types"].map { name in
            IneffectiveSetting("response", "disposition", name, reason: reason)
        }
        return [status] + content + disposition
    }()

    private static let attempts = ["max_attempts", "backoff", "max_elapsed", "methods", "statuses", "after_crash"]
        .map { name in
            IneffectiveSetting("retry", name, reason: "callbacks have their own schedule of attempts: remove it")
        }

    /// Returns a session as a node of the file, without these settings if it is the session for callbacks.
    static func write(_ session: SessionConfiguration) -> YAMLNode {
        let node = SessionConfiguration.gatewaySettings.write(session)
        return session.name == SessionConfiguration.callbacksName ? withoutEffect.removed(from: node) : node
    }
}
