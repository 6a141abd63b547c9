import TaskStore
import Testing

@testable import Gateway

@Suite("SessionDocument")
struct SessionDocumentTests {
    @Test(
        "The state of a session says what becomes of its tasks",
        arguments: [
            (false, false, 0, SessionDocument.State.open), (false, false, 3, .open), (true, false, 0, .suspended),
            (false, true, 3, .draining), (false, true, 0, .closed), (true, true, 0, .closed),
            (true, true, 3, .suspended),
        ])
    func state(isSuspended: Bool, isClosed: Bool, unfinished: Int, state: SessionDocument.State) {
        let mark = SessionMark(name: "up", isSuspended: isSuspended, isClosed: isClosed)
        #expect(SessionDocument.State(mark, unfinished: unfinished) == state)
    }
}
