package import ErrandJSON
import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime

/// The current reasons for delay of a session's tasks: its rate, its upstream and operators.
package struct SessionConditions: Sendable, Hashable {
    /// The reason why a queued task waits; `nil` if it starts at once.
    var waitReason: WaitReason?
    /// The end of the pause that the upstream has asked for; `nil` if it has asked for none.
    var quietUntil: Timestamp?
    /// The number of attempts that may start at once; `nil` without a rate limit.
    var tokens: Int?
    /// The time at which the rate allows the next attempt; `nil` if it allows one now, or without a rate limit.
    var nextToken: Timestamp?
    /// The state of the circuit breaker.
    var circuit: Circuit
    /// The end of the open state; `nil` unless the circuit is open.
    var openUntil: Timestamp?
    /// The upstream's failures that currently count.
    var failures: Int

    /// The state of a circuit breaker.
    package enum Circuit: String, Sendable, Hashable, CaseIterable {
        /// All attempts are allowed.
        case closed
        /// No attempts are allowed for a time.
        case open
        /// One attempt at a time is allowed, to find out whether the upstream has recovered.
        case halfOpen = "half_open"
    }

    /// Writes the members.
    package func write(to writer: inout JSONWriter) {
        writer.member("hold", waitReason?.rawValue)
        writer.member("hold_until", waitUntil)
        writer.member("rate")
        if let tokens {
            writer.beginObject()
            writer.member("available", tokens)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.member("circuit")
        writer.beginObject()
        writer.member("state", circuit.rawValue)
        writer.member("until", openUntil)
        writer.member("failures", failures)
        writer.endObject()
    }

    /// The end of a queued task's wait; `nil` if it is unknown, or the task starts at once.
    var waitUntil: Timestamp? {
        switch waitReason {
        case .rate: nextToken
        case .retryAfter: quietUntil
        case .circuitOpen: openUntil
        default: nil
        }
    }
}

extension Dispatcher {
    /// Returns the current conditions of a session; `nil` if there is no such session.
    package func conditions(of session: String) -> SessionConditions? {
        let (moment, now) = (context.monotonic.now, context.now())
        let (conditions, waitReason) = state.withLock { state in
            (
                state.admission.conditions(session: session, at: moment),
                state.admission.waitReason(session: session, at: moment)
            )
        }
        guard let conditions else { return nil }
        let date = { (instant: ContinuousClock.Instant) in now.adding(moment.duration(to: instant)) }
        var result = SessionConditions(
            waitReason: waitReason, quietUntil: conditions.quietUntil.map(date), tokens: conditions.tokens,
            nextToken: conditions.nextToken.map(date), circuit: .closed, openUntil: nil,
            failures: conditions.failures)
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
