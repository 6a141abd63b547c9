import ErrandConfiguration
import Testing

@testable import ErrandTaskEngine

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
}
