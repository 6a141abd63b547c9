import ErrandConfiguration
import Testing

@testable import ErrandGateway

@Suite("Caller")
struct CallerTests {
    @Test("No scope includes another, except that admin includes all")
    func scopes() {
        func scopes(_ scopes: Set<Caller.Scope>) -> Set<Caller.Scope> {
            let caller = Caller(tokenName: "a", scopes: scopes, sessions: nil)
            return Set(Caller.Scope.allCases.filter(caller.has))
        }
        #expect(scopes([]) == [])
        #expect(scopes([.tasksRead]) == [.tasksRead])
        #expect(scopes([.tasksWrite]) == [.tasksWrite])
        #expect(scopes([.tasksRead, .tasksWrite]) == [.tasksRead, .tasksWrite])
        #expect(scopes([.admin]) == [.tasksRead, .tasksWrite, .admin])
    }

    @Test("A caller with a list of sessions sees only those, even an admin; without a list it sees all")
    func sessions() {
        for scope in Caller.Scope.allCases {
            let limited = Caller(tokenName: "a", scopes: [scope], sessions: ["up"])
            #expect(limited.sees(session: "up"))
            #expect(!limited.sees(session: "other"))
            #expect(!limited.sees(session: ""))
            #expect(Caller(tokenName: "a", scopes: [scope], sessions: nil).sees(session: "other"))
            #expect(!Caller(tokenName: "a", scopes: [scope], sessions: []).sees(session: "up"))
        }
    }

    @Test("A selection of sessions is narrowed to the visible ones, never widened")
    func narrowing() {
        let limited = Caller(tokenName: "a", scopes: [], sessions: ["up", "other"])
        #expect(limited.narrowing(nil) == ["up", "other"])
        #expect(limited.narrowing(["up", "third"]) == ["up"])
        #expect(limited.narrowing(["third"]) == [])
        #expect(limited.narrowing([]) == [])
        let all = Caller.anonymous
        #expect(all.narrowing(nil) == nil)
        #expect(all.narrowing(["third"]) == ["third"])
        #expect(Caller.unknown.narrowing(nil) == [])
    }

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
