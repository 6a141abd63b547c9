import ErrandAuthentication
import ErrandCookies
import ErrandTime
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
    /// The time for suspensions and pacing.
    let time: SteadyTime
}
