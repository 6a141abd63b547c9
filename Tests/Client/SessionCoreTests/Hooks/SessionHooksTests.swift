import ErrandSessionCore
import HTTPTypes
import Testing

@Suite("The hooks of a session")
struct SessionHooksTests {
    @Test("are equal to their copies, and empty values are equal")
    func equality() {
        let hooks = SessionHooks(redirects: [.follow])
        let copy = hooks
        #expect(hooks == copy)
        #expect(hooks != SessionHooks(redirects: [.follow]))
        #expect(SessionHooks() == SessionHooks())
        #expect(SessionHooks().isEmpty && !hooks.isEmpty)
    }

    @Test("keep their order if others follow them, and stay as they are if none do")
    func followed() {
        let (first, second) = (SessionHooks(redirects: [.follow]), SessionHooks(retriers: [.backoff()]))
        let both = first.followed(by: second)
        #expect(both.redirects.count == 1 && both.retriers.count == 1)
        #expect(first.redirects.count == 1 && first.retriers.isEmpty)
        #expect(first.followed(by: SessionHooks()) == first)
        #expect(SessionHooks().followed(by: first) == first)
        let redirects = first.followed(by: SessionHooks(redirects: [.doNotFollow, .doNotFollow])).redirects
        #expect(redirects.count == 3)
    }

    @Test("can be changed without an effect on their copies")
    func changes() {
        var hooks = SessionHooks(adapters: [.header(.from) { nil }], retriers: [.backoff()])
        let before = hooks
        hooks.adapters = []
        hooks.redirects.append(.doNotFollow)
        hooks.challenges.append(.basic(username: "u", password: "p"))
        hooks.validators.append(.checking { _ in })
        #expect(hooks.adapters.isEmpty && before.adapters.count == 1)
        #expect(hooks.retriers.count == 1)
        #expect(hooks.redirects.count == 1 && before.redirects.isEmpty)
        #expect(hooks.challenges.count == 1 && before.challenges.isEmpty)
        #expect(hooks.validators.count == 1)
        hooks.retriers = []
        hooks.redirects = []
        hooks.challenges = []
        hooks.validators = []
        #expect(hooks == SessionHooks())
    }
}
