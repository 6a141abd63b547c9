import ErrandTaskStore
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("SessionDocument")
struct SessionDocumentTests {
    @Test(
        "The state of a session follows from its operators' state and its tasks",
        arguments: [
            (false, false, 0, SessionDocument.State.open), (false, false, 3, .open), (true, false, 0, .suspended),
            (false, true, 3, .draining), (false, true, 0, .closed), (true, true, 0, .closed),
            (true, true, 3, .suspended),
        ])
    func state(isSuspended: Bool, isClosed: Bool, unfinished: Int, state: SessionDocument.State) {
        let controlState = SessionControlState(name: "up", isSuspended: isSuspended, isClosed: isClosed)
        #expect(SessionDocument.State(controlState, unfinished: unfinished) == state)
    }
}
