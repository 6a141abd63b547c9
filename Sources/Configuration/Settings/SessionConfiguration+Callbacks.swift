import HTTPTypes
import ResponseSerialization
package import SessionCore
import Transfer

extension SessionConfiguration {
    /// The name of the session that is always there: it carries the callbacks that name no session.
    package static let callbacksName = "callbacks"

    /// The longest that one attempt of a delivery takes, unless the file says otherwise.
    ///
    /// Receivers are whom clients name, and all of them share the session's places: one that answers a byte at a time
    /// would hold one of them for as long as it likes, and the callbacks of others back.
    private static let longestDelivery = Duration.seconds(30)

    /// The session ``callbacksName`` where the file says nothing of it.
    ///
    /// It posts to receivers that clients name, all of them strangers to each other. So it has of what sessions inherit
    /// only what is about the gateway's own side: nothing that is meant for one upstream, and nothing secret.
    ///
    /// | setting | value |
    /// | --- | --- |
    /// | `security`, `connection`, `timeouts`, `limits`, `egress`, `user_agent` | inherited, without the client certificate |
    /// | `timeouts.total` | 30 s at most: a receiver says that it has a message, and does its work later |
    /// | `base_url`, `credentials`, `headers` | none |
    /// | `url_scope` | `any` |
    /// | `allow_methods` | POST |
    /// | `redirects` | refused: a message is for the receiver that was named |
    /// | `response.serializer` | `raw` |
    /// | `cookies` | off |
    /// | `retry` | the pauses of callbacks; `Retry-After` of one receiver does not hold the others |
    ///
    /// - Parameter defaults: What sessions inherit.
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
        session.retry.afterCrash = .resend
        session.retry.respectsRetryAfter = false
        return session
    }
}
