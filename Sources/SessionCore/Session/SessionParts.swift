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
    /// What all transfers may move together; `nil` for as much as goes.
    let pacing: SessionPacing?
    /// Measures how long a task is suspended, and paces.
    let clock: any Clock<Duration>
    /// The time by the clock.
    let instants: @Sendable () -> ContinuousClock.Instant
}
