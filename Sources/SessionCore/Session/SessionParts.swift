import Authentication
import Cookies
import Transfer

/// What the attempts of one session share.
struct SessionParts: Sendable {
    let configuration: SessionConfiguration
    let transport: any Transport
    /// Proves who asks; `nil` for a session without credentials.
    let authenticator: Authenticator?
    /// `nil` for a session without cookies.
    let cookies: SessionCookies?
    let reachability: ReachabilityMonitor
    /// Measures how long a task is suspended.
    let clock: any Clock<Duration>
}
