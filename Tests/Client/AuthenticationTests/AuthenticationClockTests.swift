import ErrandAuthentication
import ErrandTransfer
import FoundationEssentials
import Testing

@Suite("AuthenticationClock")
struct AuthenticationClockTests {
    @Test("The system's clocks tell the date and never go back")
    func system() {
        let clock = AuthenticationClock.system
        let before = Int64(Date.now.timeIntervalSince1970.rounded(.down))
        let told = clock.secondsSince1970()
        let after = Int64(Date.now.timeIntervalSince1970.rounded(.down))
        #expect((before...after).contains(told))
        let instants = (0..<1000).map { _ in clock.monotonic() }
        #expect(instants == instants.sorted())
        #expect(instants.first != instants.last)
    }

    @Test("The system's random bytes have the requested count and differ each time")
    func random() {
        for count in 0...18 { #expect(Authenticator.systemRandomBytes(count).count == count) }
        #expect(Authenticator.systemRandomBytes(18) != Authenticator.systemRandomBytes(18))
    }
}
