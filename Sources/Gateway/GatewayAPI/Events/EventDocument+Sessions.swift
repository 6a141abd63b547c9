import ErrandJSON
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskEngine
import ErrandTime

extension EventDocument {
    /// Returns a change of a session, as an event without an id, since it is not stored.
    ///
    /// The data are `{"event","session","at"}` and further members by the kind of change.
    static func change(_ change: SessionChange, of session: String, at now: Timestamp) -> [UInt8] {
        piece(change.eventName, id: nil) { writer in
            writer.member("session", session)
            writer.member("at", now)
            switch change {
            case .reachability(let reachability):
                writer.member("reachability", reachability.rawValue)
            case .circuit(let circuit):
                writer.member("circuit")
                let state: SessionConditions.Circuit = circuit == .opened ? .open : .closed
                writer.string(state.rawValue)
            case .suspended, .resumed:
                break
            case .invalidated(let invalidation):
                writer.member("reset", invalidation.resets)
                writer.member("cancel_pending", invalidation.cancelsTasks)
            }
        }
    }
}

extension SessionChange {
    fileprivate var eventName: String {
        switch self {
        case .reachability: "session.reachability"
        case .circuit: "session.circuit"
        case .suspended: "session.suspended"
        case .resumed: "session.resumed"
        case .invalidated: "session.invalidated"
        }
    }
}
