/// The event listeners of the task for which an attempt is made.
struct AttemptObserver: Sendable {
    let id: SessionTaskID
    let session: EventBroadcaster<SessionEvent>
    /// The task's own listeners, if it has any.
    let task: EventBroadcaster<SessionTaskEvent>?

    /// True if there is a listener.
    var isHeard: Bool { task?.isHeard ?? false || session.isHeard }

    func emit(_ event: @autoclosure () -> SessionTaskEvent) {
        guard isHeard else { return }
        let event = event()
        task?.emit(event)
        session.emit(.task(id: id, event))
    }
}
