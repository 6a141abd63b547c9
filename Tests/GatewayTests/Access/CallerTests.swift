import Configuration
import Testing

@testable import Gateway

@Suite("Caller")
struct CallerTests {
    @Test("No scope stands for another, but admin for all")
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

    @Test("A caller sees his sessions, an admin too, and one without a list sees all")
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

    @Test("A choice of sessions is narrowed to those that he sees, never widened")
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

    @Test("Who is not known may do nothing where anything is needed")
    func unknown() {
        for need in [AccessNeed.scope(.tasksRead), .scope(.tasksWrite), .scope(.admin), .wholeGateway] {
            #expect(need.refusal(of: .unknown) != nil)
            #expect(need.refusal(of: .anonymous) == nil)
        }
    }

    @Test("What concerns all sessions needs an admin who is not limited to some")
    func wholeGateway() {
        func refusal(_ scopes: Set<Caller.Scope>, _ sessions: Set<String>?) -> AccessRefusal? {
            AccessNeed.wholeGateway.refusal(of: Caller(tokenName: "a", scopes: scopes, sessions: sessions))
        }
        #expect(refusal([.admin], nil) == nil)
        #expect(refusal([.admin], ["up"]) == .limitedToSessions)
        #expect(refusal([.tasksRead, .tasksWrite], nil) == .missingScope(.admin))
    }
}
