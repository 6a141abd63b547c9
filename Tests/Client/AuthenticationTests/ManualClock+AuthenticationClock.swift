import ErrandAuthentication
import ErrandSupport

extension ManualClock {
    /// This clock as the clocks of authentication; the time of day begins at 2015-08-30T12:36:00Z.
    var clock: AuthenticationClock {
        AuthenticationClock(self, now: { 1_440_938_160 + self.now.offset.components.seconds })
    }
}
