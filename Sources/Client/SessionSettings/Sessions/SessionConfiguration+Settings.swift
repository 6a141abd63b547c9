import ErrandEgress
package import ErrandSessionCore
package import ErrandSettings
import ErrandTransfer
import ErrandYAML

extension SessionConfiguration {
    /// The settings of a session in a file, with the defaults of ``SessionConfiguration``.
    package static let settings = SettingGroup(
        SessionConfiguration(name: ""),
        [
            Setting(
                "base_url", \.baseURL, .nullable(.baseURL),
                """
                The URL against which the paths of tasks are resolved (RFC 3986 §5.2), without credentials and \
                without a query. If it is null, each task names an absolute URL, and `url_scope` must be `any`. It \
                is shown completely, as are the URLs of tasks, also what `${…}` has inserted: put a secret into \
                `credentials` or `headers`.
                """),
            Setting(
                "url_scope", \.urlScope, .choice(),
                """
                The URLs that tasks may use. `base`: below the path of the base URL. `origin`: the base URL's \
                scheme, host and port. `any`: every URL; credentials and default headers are still sent to the base \
                URL's origin only.
                """),
            Setting(
                "headers", \.headerSettings, .headers,
                """
                Header fields of every request, unless the task sets its own. They are added to those of \
                `session_defaults`; null removes a field. Values with `${…}` are not shown, and neither are those whose \
                names suggest a secret. At most 1,000 in one mapping, and 200,000 in all sessions that have their own.
                """),
            Setting(
                "user_agent", \.userAgent, .nullable(.headerValue),
                """
                The `User-Agent` of every request, unless a header sets it or the task removes it; null for none. \
                Requests for OAuth 2 tokens have it too. Another origin gets it, not that of `headers`, unless the \
                task sets or removes the field.
                """),
            Setting(
                "allow_methods", \.allowedMethods, .list(of: .methodOfTasks, isNotEmpty: true),
                "The methods that tasks may use."),
            Setting("request", \.request, .group(RequestConfiguration.settings), "The serialization of requests."),
            Setting(
                "response", \.response, .group(ResponseConfiguration.settings),
                "The validation and parsing of responses."),
            Setting(
                "credentials", \.credentials, .nullable(.credentials),
                """
                The credentials for the upstream. They replace those of `session_defaults` as a whole; null removes \
                them. They require a `base_url` and are sent to its origin only.
                """),
            Setting(
                "security", \.connection.tls, .group(TLSOptions.settings),
                "The verification of the upstream, and the session's client certificate."),
            Setting("connection", of: ConnectionOptions.settings, "The connections of the session."),
            Setting(
                "timeouts", of: timeoutSettings,
                "The timeouts of one attempt, not counting time in which the task is suspended. Null for no limit."),
            Setting(
                "limits", \.limits, .group(SessionLimits.settings),
                "The limits of concurrency, rate and queue length."),
            Setting(
                "retry", \.retry, .group(RetryConfiguration.settings),
                "The rules for retrying failed attempts."),
            Setting("redirects", \.redirects, .group(RedirectPolicy.settings), "The rules for following redirects."),
            Setting(
                "cookies", \.cookies, .choice(),
                """
                The handling of cookies (RFC 6265). `off`: no cookies are stored or sent. `ephemeral`: cookies are \
                kept in memory. `persistent`: cookies with an expiry date are also kept in the store.
                """),
            Setting(
                "circuit_breaker", \.circuitBreaker, .group(CircuitBreakerConfiguration.settings),
                "The circuit breaker, which pauses the session while its upstream keeps failing."),
            Setting(
                "reachability", \.reachability, .group(ReachabilityConfiguration.settings),
                "The check whether the upstream can be reached."),
            Setting(
                "egress", \.egress, .group(EgressPolicy.settings),
                """
                The addresses that the session may connect to, checked after name lookup for each request, redirect, \
                probe and token.
                """),
            Setting(
                "forward_idempotency_key", \.forwardsIdempotencyKey, .boolean,
                "If true, the `Idempotency-Key` of the client is sent to the upstream, unless the task sets its own."),
        ])

    private static let timeoutSettings = SettingGroup(
        SessionConfiguration(name: ""),
        [
            Setting(
                "connect", \.timeouts.connect, .nullable(.duration(timeoutRange)),
                "The time limit for name lookup, connection and TLS handshake together."),
            Setting(
                "idle", \.timeouts.idle, .nullable(.duration(timeoutRange)),
                "The longest time without a byte in either direction."),
            Setting(
                "total", \.timeouts.total, .nullable(.duration(timeoutRange)), "The time limit for the whole attempt."),
            Setting(
                "suspended_keep", \.suspendedKeep, .nullable(.duration(timeoutRange)),
                """
                The time that a suspended task keeps its connection; null for no limit. A task that is resumed later \
                starts a new attempt.
                """
            ),
        ],
        shorthand: "total")
}
