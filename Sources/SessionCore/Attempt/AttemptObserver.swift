/// Who is told what happens to the task that an attempt is made for.
struct AttemptObserver: Sendable {
    let id: SessionTaskID
    let session: EventHub<SessionEvent>
    /// The task's own listeners, where the task has some.
    let task: EventHub<SessionTaskEvent>?

    func emit(_ event: @autoclosure () -> SessionTaskEvent) {
        let isTaskHeard = task?.isHeard ?? false
        guard isTaskHeard || session.isHeard else { return }
        let event = event()
        task?.emit(event)
        session.emit(.task(id: id, event))
    }
}
