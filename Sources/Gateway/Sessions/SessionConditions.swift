import JSON
import Locking
import SessionCore
import TaskAdmission
import TaskStore

/// What the tasks of a session have to wait for at the moment, as its rate, its upstream and operators let it be.
struct SessionConditions: Sendable, Hashable {
    /// What a queued task waits for; `nil` when it starts at once.
    var hold: TaskHold?
    /// Until when the upstream wants to be left alone; `nil` when it does not.
    var quietUntil: Timestamp?
    /// How many attempts may start at once; `nil` without a rate.
    var tokens: Int?
    /// Whether the upstream is asked.
    var circuit: Circuit
    /// Until when it is not; `nil` unless the circuit is open.
    var openUntil: Timestamp?
    /// The failures of the upstream that count at present.
    var failures: Int

    /// Whether attempts are let through, in one word.
    enum Circuit: String, Sendable, Hashable, CaseIterable {
        /// All are.
        case closed
        /// None is for a time.
        case open
        /// One at a time is, to find out whether the upstream is well again.
        case halfOpen = "half_open"
    }

    /// Writes the members that tell of it.
    func write(to writer: inout JSONWriter) {
        writer.member("hold")
        if let hold { writer.string(hold.rawValue) } else { writer.null() }
        writer.member("hold_until")
        write(holdUntil, to: &writer)
        writer.member("rate")
        if let tokens {
            writer.beginObject()
            writer.member("available")
            writer.int(tokens)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.member("circuit")
        writer.beginObject()
        writer.member("state")
        writer.string(circuit.rawValue)
        writer.member("until")
        write(openUntil, to: &writer)
        writer.member("failures")
        writer.int(failures)
        writer.endObject()
    }

    /// Until when a queued task waits; `nil` when nobody knows, or it starts at once.
    private var holdUntil: Timestamp? {
        switch hold {
        case .retryAfter: quietUntil
        case .circuitOpen: openUntil
        default: nil
        }
    }

    private func write(_ moment: Timestamp?, to writer: inout JSONWriter) {
        if let moment { writer.string(moment.description) } else { writer.null() }
    }
}

extension Dispatcher {
    /// What the tasks of a session have to wait for; `nil` when there is no such session.
    func conditions(of session: String) -> SessionConditions? {
        let (moment, now) = (time.now, now())
        let (conditions, hold) = state.withLock { state in
            (
                state.admission.conditions(session: session, at: moment),
                state.admission.hold(session: session, at: moment)
            )
        }
        guard let conditions else { return nil }
        let date = { (instant: ContinuousClock.Instant) in now.adding(moment.duration(to: instant)) }
        var result = SessionConditions(
            hold: hold, quietUntil: conditions.quietUntil.map(date), tokens: conditions.tokens, circuit: .closed,
            openUntil: nil, failures: conditions.failures)
        switch conditions.circuit {
        case .closed: break
        case .halfOpen: result.circuit = .halfOpen
        case .open(let until):
            result.circuit = .open
            result.openUntil = date(until)
        }
        return result
    }
}
