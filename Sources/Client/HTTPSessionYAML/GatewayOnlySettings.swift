import ErrandYAML

/// The settings of sessions that only the gateway applies.
///
/// In `SessionConfiguration` they are not public. A file of a program may not have them, so that no setting is without
/// an effect.
enum GatewayOnlySettings {
    /// The settings, by their path from the session, each with what a program does instead.
    static let remedies: [String: String] = {
        let pace = "a program limits its requests where it makes them"
        let disposition = "a program decides by the head, in the closure of stream(_:deciding:)"
        return [
            "limits.concurrent": pace, "limits.rate": pace, "limits.burst": pace, "limits.max_queued": pace,
            "retry": "a program adds a retrier to the hooks of the session, such as .backoff()",
            "circuit_breaker": "a program sees each error, and stops by itself",
            "response.disposition.over_limit": disposition,
            "response.disposition.become_download_types": disposition,
            "reachability.hold_when_unreachable": "a program watches the reachability of the session",
        ]
    }()

    /// Returns the reason to refuse a setting, given its path from the root of the file; `nil` to accept it.
    static func reasonToRefuse(_ path: YAMLPath) -> String? {
        let session: ArraySlice<YAMLPath.Step> =
            switch path.steps.first {
            case .key("session_defaults")?: path.steps.dropFirst()
            case .key("sessions")?: path.steps.dropFirst(2)
            default: []
            }
        return remedies[YAMLPath(Array(session)).description].map {
            "this is a setting of the gateway, without an effect in a program; remove it: \($0)"
        }
    }
}
