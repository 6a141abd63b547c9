import ErrandEgress
import Glibc
import Testing

@testable import ErrandCurlEngine

@Suite("The state of a connection that is made")
struct ConnectionAttemptTests {
    @Test("has the policy's refusal of an address as that of the host, unless an address was permitted")
    func refusalOfHost() {
        var attempt = ConnectionAttempt()
        #expect(attempt.refusalOfHost == nil)
        attempt.egressRefusal = .denied
        #expect(attempt.refusalOfHost == .denied)
        var opened = attempt
        opened.sockets.append(OpenedSocket(number: 9, identity: 1))
        #expect(opened.refusalOfHost == nil)
        // A permitted address got no socket.
        var short = attempt
        short.failures.add(EMFILE)
        #expect(short.refusalOfHost == nil)
    }
}
