import ErrandConfiguration
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("AuthConfiguration: callers of earlier requests")
struct AuthConfigurationCallersTests {
    private func auth(_ tokens: AuthConfiguration.Token...) -> AuthConfiguration {
        var auth = AuthConfiguration()
        auth.tokens = tokens
        return auth
    }

    @Test("A caller may go on as long as its token is the same, with the scope and the sessions that it had")
    func tokens() {
        let former = AuthConfiguration.Token.sample("a", sessions: ["up", "other"])
        var replaced = former
        replaced.credential = .text("another-token-0123456789")
        for (tokens, goesOn) in [
            ([former], true), ([.sample("b"), .sample("a")], true), ([.sample("a", [.admin])], true),
            ([.sample("a", sessions: ["other", "more", "up"])], true), ([.sample("a", sessions: ["up"])], false),
            ([.sample("a", [.tasksRead])], false), ([replaced], false), ([.sample("b")], false), ([], false),
        ] as [([AuthConfiguration.Token], Bool)] {
            var now = AuthConfiguration()
            now.tokens = tokens
            #expect(now.stillAdmits(former.caller, to: .tasksWrite, admittedBy: auth(former)) == goesOn, "\(tokens)")
        }
    }

    @Test("A caller whose token had all sessions may go on only if it still has all of them")
    func allSessions() {
        let former = AuthConfiguration.Token.sample("a")
        let restricted = auth(.sample("a", sessions: ["up"]))
        #expect(auth(former).stillAdmits(former.caller, to: .tasksWrite, admittedBy: auth(former)))
        #expect(!restricted.stillAdmits(former.caller, to: .tasksWrite, admittedBy: auth(former)))
    }

    @Test("A caller without a token may go on as long as there is none")
    func anonymous() {
        #expect(auth().stillAdmits(.anonymous, to: .tasksWrite, admittedBy: auth()))
        #expect(!auth(.sample("a")).stillAdmits(.anonymous, to: .tasksWrite, admittedBy: auth()))
    }
}
