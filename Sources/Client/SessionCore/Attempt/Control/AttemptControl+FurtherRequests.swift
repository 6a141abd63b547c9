import ErrandLocking
import ErrandTransfer

// The requests that an attempt sends beside its own.

extension AttemptControl {
    /// Applies the calls of the owner to a further request of the attempt too, from now on, and the state that they led
    /// to.
    func attach(_ control: AttemptControl) {
        let (canceled, pace, mustDrain) = state.withLock { state in
            state.further.add(control)
            let mustDrain = state.suspension.isSuspended ? state.actions.append(.suspendFurther(control)) : false
            return (state.canceled, state.further.pace, mustDrain)
        }
        if let canceled { control.cancel(canceled) }
        if mustDrain { drainActions() }
        if pace != nil { dividePace() }
    }

    /// Forgets a further request, which has ended.
    func detach(_ control: AttemptControl) {
        let received = control.progress.received
        let pace = state.withLock { state in
            state.further.remove(control, received: received)
            return state.further.pace
        }
        if pace != nil { dividePace() }
    }

    /// The duration for which the attempt was suspended.
    var suspendedTime: Duration {
        state.withLock { $0.suspension.duration(at: .now) }
    }

    /// Gives each request of the attempt an equal share of its rate.
    func dividePace() {
        division.withLock { _ in
            let (further, isTransferring) = state.withLock { ($0.further, $0.hop.transfer != nil) }
            let share = further.share(isTransferring: isTransferring)
            receiving.setPace(share)
            sending.setPace(share)
            for control in further.controls { control.setBytesPerSecond(share) }
        }
    }
}
