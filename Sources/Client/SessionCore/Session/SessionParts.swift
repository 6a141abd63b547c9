import ErrandAuthentication
import ErrandCookies
import ErrandTime
import ErrandTransfer

/// The objects that the attempts of one session share; created once for each session.
final class SessionParts: Sendable {
    let configuration: SessionConfiguration
    let transport: any Transport
    /// The authenticator; `nil` for a session without credentials.
    let authenticator: Authenticator?
    /// The cookies; `nil` for a session without them.
    let cookies: SessionCookies?
    let reachability: ReachabilityMonitor
    /// The rate shared by all transfers.
    let pacing: SessionPacing
    /// The limit on stored content loaded into memory.
    let reading: ReadingBudget
    /// The time for suspensions and pacing.
    let time: MonotonicClock

    init(
        configuration: SessionConfiguration, transport: any Transport, authenticator: Authenticator?,
        cookies: SessionCookies?, reachability: ReachabilityMonitor, pacing: SessionPacing, reading: ReadingBudget,
        time: MonotonicClock
    ) {
        self.configuration = configuration
        self.transport = transport
        self.authenticator = authenticator
        self.cookies = cookies
        self.reachability = reachability
        self.pacing = pacing
        self.reading = reading
        self.time = time
    }
}
