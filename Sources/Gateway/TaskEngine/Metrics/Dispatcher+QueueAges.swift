import ErrandLocking
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime

extension Dispatcher {
    /// Returns the times for which the first tasks of the sessions' queues have waited, in seconds; none for an empty
    /// queue.
    ///
    /// The first task of each queue is in memory, so that the cost depends on the number of sessions only. The time of
    /// a task that was queued by this process is in memory too; that of one loaded from the store is read there, with
    /// one read for all sessions.
    func queueAges(of sessions: [String]) async throws(TaskStoreError) -> [String: Double] {
        let first = state.withLock { state in
            sessions.compactMap { session in state.admission.first(session: session).map { (session, $0) } }
        }
        let unknown = first.filter { $0.1.readyAt == nil }.map(\.1.id)
        let stored = unknown.isEmpty ? [:] : try await context.store.readyTimes(of: unknown)
        let now = context.now()
        var ages: [String: Double] = [:]
        for (session, position) in first {
            guard let readyAt = position.readyAt ?? stored[position.id] else { continue }
            // A client may have told a task to run at once, which makes it the first; it waits since its creation.
            let since = readyAt == .earliest ? position.id.timestamp : readyAt
            ages[session] = Double(max(0, now.milliseconds - since.milliseconds)) / 1000
        }
        return ages
    }
}
