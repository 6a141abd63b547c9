/// Who is told what happens to the task that an attempt is made for.
struct AttemptObserver: Sendable {
    let id: SessionTaskID
    let session: EventHub<SessionEvent>
    /// The task's own listeners, where the task has some.
    let task: EventHub<SessionTaskEvent>?

    /// Whether anybody is.
    var isHeard: Bool { task?.isHeard ?? false || session.isHeard }

    func emit(_ event: @autoclosure () -> SessionTaskEvent) {
        guard isHeard else { return }
        let event = event()
        task?.emit(event)
        session.emit(.task(id: id, event))
    }
}
