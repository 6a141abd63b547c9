import ErrandConfiguration
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("The access that a route needs")
struct AccessNeedTests {
    @Test("The unknown caller has no access to routes that need any")
    func unknown() {
        for need in [AccessNeed.scope(.tasksRead), .scope(.tasksWrite), .scope(.admin), .wholeGateway] {
            #expect(need.refusal(of: .unknown) != nil)
            #expect(need.refusal(of: .anonymous) == nil)
        }
    }

    @Test("Operations on all sessions need an admin without a session restriction")
    func wholeGateway() {
        func refusal(_ scopes: Set<Caller.Scope>, _ sessions: Set<String>?) -> AccessRefusal? {
            AccessNeed.wholeGateway.refusal(of: Caller(tokenName: "a", scopes: scopes, sessions: sessions))
        }
        #expect(refusal([.admin], nil) == nil)
        #expect(refusal([.admin], ["up"]) == .limitedToSessions)
        #expect(refusal([.tasksRead, .tasksWrite], nil) == .missingScope(.admin))
    }
}
