import HTTPServer
import Locking

/// Hands each request to the front door in force; one that was let in ends with the one that has let it in.
final class CurrentDoor: HTTPHandler {
    private let door: Mutex<FrontDoor>

    init(_ door: FrontDoor) {
        self.door = Mutex(door)
    }

    /// The one in force.
    var current: FrontDoor { door.withLock { $0 } }

    /// Puts another in force.
    func replace(with door: FrontDoor) {
        self.door.withLock { $0 = door }
    }

    func admit(_ head: RequestHead) -> HTTPServer.Admission {
        current.admit(head)
    }

    func answer(to problem: ProblemDetails) -> ServerResponse {
        current.answer(to: problem)
    }
}
