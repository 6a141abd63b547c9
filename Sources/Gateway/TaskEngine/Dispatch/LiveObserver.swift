import ErrandLocking
package import ErrandTaskStore
package import ErrandTransfer

/// An observer of changes that are not stored.
package protocol LiveObserver: AnyObject, Sendable {
    /// Called when a session has changed.
    func sessionDidChange(_ session: String, _ change: SessionChange)

    /// Called when an attempt has ended, before that is stored.
    ///
    /// - Parameter progress: The progress of its transfer.
    func attemptDidEnd(_ record: TaskRecord, _ progress: TransferProgress)
}

extension Dispatcher {
    /// Sets the observer of changes that are not stored, in place of the previous one; it is held weakly.
    package func observe(_ observer: any LiveObserver) {
        state.withLock { $0.liveObserver = observer }
    }

    /// Reports a change of a session to the observer.
    func report(_ change: SessionChange, of session: String) {
        let observer = state.withLock { $0.liveObserver }
        observer?.sessionDidChange(session, change)
    }
}
