import ErrandResponseSerialization
package import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

extension SessionConfiguration {
    /// The name of the session that always exists and sends the callbacks that do not name a session.
    package static let callbacksName = "callbacks"

    /// The longest time of one delivery attempt, unless the file sets another.
    ///
    /// Clients choose the receivers, and all receivers share the concurrency limit of the session. A receiver that
    /// responds one byte at a time could otherwise occupy a slot indefinitely and delay the callbacks of others.
    private static let longestDelivery = Duration.seconds(30)

    /// Returns the session ``callbacksName`` as it is if the file does not mention it.
    ///
    /// It posts to receivers that clients choose and that are independent of each other. Therefore it inherits only
    /// settings of the gateway's own side: nothing intended for one upstream, and nothing secret.
    ///
    /// | setting | value |
    /// | --- | --- |
    /// | `security`, `connection`, `timeouts`, `limits`, `egress`, `user_agent` | inherited, without the client certificate |
    /// | `timeouts.total` | at most 30 s: a receiver acknowledges a message first, and processes it later |
    /// | `limits.max_queued` | no limit: callbacks are never refused |
    /// | `base_url`, `credentials`, `headers` | none |
    /// | `url_scope` | `any` |
    /// | `allow_methods` | POST |
    /// | `redirects` | refused: a message is meant for the named receiver only |
    /// | `response.serializer` | `raw` |
    /// | `cookies` | off |
    /// | `retry` | the delays of callbacks; `Retry-After` of one receiver does not delay the others |
    ///
    /// - Parameter defaults: The settings that sessions inherit.
    package static func callbacks(inheriting defaults: SessionConfiguration) -> SessionConfiguration {
        var session = SessionConfiguration(name: callbacksName)
        session.urlScope = .any
        session.userAgent = defaults.userAgent
        session.allowedMethods = [.post]
        session.response.serializer = .raw
        session.redirects.mode = .refuse
        session.cookies = .off
        session.connection = defaults.connection
        session.connection.tls.clientCertificate = nil
        session.egress = defaults.egress
        session.timeouts = defaults.timeouts
        session.timeouts.total = min(defaults.timeouts.total ?? longestDelivery, longestDelivery)
        session.limits = defaults.limits
        session.limits.maxQueued = 0
        session.retry.afterCrash = .resend
        return session
    }
}
