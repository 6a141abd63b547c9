import ErrandAuthentication
import ErrandCookies
import ErrandTransfer

/// The objects that the attempts of one session share.
struct SessionParts: Sendable {
    let configuration: SessionConfiguration
    let transport: any Transport
    /// The authenticator; `nil` for a session without credentials.
    let authenticator: Authenticator?
    /// The cookies; `nil` for a session without them.
    let cookies: SessionCookies?
    let reachability: ReachabilityMonitor
    /// The rate shared by all transfers; `nil` for no limit.
    let pacing: SessionPacing?
    /// The limit on stored content loaded into memory.
    let reading: ReadingBudget
    /// The clock for suspensions and pacing.
    let clock: any Clock<Duration>
    /// Reads the time of the clock.
    let instants: @Sendable () -> ContinuousClock.Instant
}
