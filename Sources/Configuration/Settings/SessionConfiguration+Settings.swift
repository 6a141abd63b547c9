import Egress
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
                anywhere; credentials and default headers never leave the origin.
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
            Setting(
                "credentials", \.credentials, .nullable(.credentials),
                """
                What the session proves to its upstream that it may ask. They replace those of `session_defaults` as a \
                whole, null removes them. They need a `base_url`, whose origin they never leave.
                """),
            Setting(
                "security", \.connection.tls, .group(TLSOptions.settings),
                "Whom the session takes for its upstream, and what it shows of itself."),
            Setting("connection", of: ConnectionOptions.settings, "How connections are made and kept."),
            Setting(
                "timeouts", of: timeoutSettings,
                "Limits of time of one attempt; the time that a task is suspended does not count. Null for none."),
            Setting("limits", \.limits, .group(SessionLimits.settings), "How much the session does at a time."),
            Setting(
                "retry", \.retry, .group(RetryConfiguration.settings),
                "When a failed attempt is made again, and how often."),
            Setting("redirects", \.redirects, .group(RedirectPolicy.settings), "Which redirects are followed."),
            Setting(
                "cookies", \.cookies, .choice(),
                """
                What is done with cookies (RFC 6265). `off`: none are kept or sent. `ephemeral`: they are kept in \
                memory. `persistent`: those with a date of expiry are kept by the store too.
                """),
            Setting(
                "circuit_breaker", \.circuitBreaker, .group(CircuitBreakerConfiguration.settings),
                "When the session stops asking an upstream that only fails."),
            Setting(
                "reachability", \.reachability, .group(ReachabilityConfiguration.settings),
                "How the session finds out whether its upstream can be reached."),
            Setting(
                "egress", \.egress, .group(EgressPolicy.settings),
                """
                Which addresses may be connected to: judged after name lookup, for each request, redirect, probe and token.
                """),
            Setting(
                "forward_idempotency_key", \.forwardsIdempotencyKey, .boolean,
                "Whether the upstream gets the `Idempotency-Key` that the client has given, unless the task sets one."),
        ])

    private static let timeoutSettings = SettingGroup(
        SessionConfiguration(name: ""),
        [
            Setting(
                "connect", \.timeouts.connect, .nullable(.duration(range)),
                "For name lookup, connection and TLS handshake together."),
            Setting(
                "idle", \.timeouts.idle, .nullable(.duration(range)),
                "The longest time without a byte in either direction."),
            Setting("total", \.timeouts.total, .nullable(.duration(range)), "For the whole attempt."),
            Setting(
                "suspended_keep", \.suspendedKeep, .nullable(.duration(range)),
                "How long a suspended task keeps its connection; null for ever. After that it begins anew when resumed."
            ),
        ])

    private static let range: ClosedRange<Duration> = .milliseconds(1)...(.seconds(31 * 86_400))
}
