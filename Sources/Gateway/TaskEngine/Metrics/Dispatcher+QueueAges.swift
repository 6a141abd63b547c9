import ErrandLocking
import ErrandTaskAdmission
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime

extension Dispatcher {
    /// Returns the times for which the first tasks of the sessions' queues have waited, in seconds: zero for an empty
    /// queue, and none for a task whose time the store does not tell.
    ///
    /// The first task of each queue is in memory, so that the cost depends on the number of sessions only. The time of
    /// a task that was queued by this process is in memory too; that of one loaded from the store is read there, with
    /// one read for all sessions.
    func queueAges(of sessions: [String]) async -> [String: Double] {
        let first = state.withLock { state in
            sessions.map { session in (session, state.admission.first(session: session)) }
        }
        let unknown = first.compactMap(\.1).filter { $0.readyAt == nil }.map(\.id)
        let stored = unknown.isEmpty ? [:] : await storedReadyTimes(of: unknown)
        let now = context.now()
        var ages: [String: Double] = [:]
        for (session, position) in first {
            guard let position else {
                ages[session] = 0
                continue
            }
            guard let readyAt = position.readyAt ?? stored[position.id] else { continue }
            // A client may have told a task to run at once, which makes it the first; it waits since its creation.
            let since = readyAt == .earliest ? position.id.timestamp : readyAt
            ages[session] = Double(max(0, now.milliseconds - since.milliseconds)) / 1000
        }
        return ages
    }

    /// Returns the times since which tasks wait, from the store; none if it fails, or does not answer soon.
    ///
    /// One read is under way at a time: a call meanwhile gets the times of that one, and adds no work to a store that
    /// does not answer.
    private func storedReadyTimes(of ids: [TaskID]) async -> [TaskID: Timestamp] {
        let store = context.store
        let read = await readyTimes.value { () async -> Result<[TaskID: Timestamp], TaskStoreError> in
            do throws(TaskStoreError) {
                return .success(try await store.readyTimes(of: ids))
            } catch {
                return .failure(error)
            }
        }
        switch read ?? .failure(noReadyTimes) {
        case .success(let times):
            return times
        case .failure(let error):
            context.log.queueAgesAreMissing(because: error)
            return [:]
        }
    }

    private var noReadyTimes: TaskStoreError {
        TaskStoreError(
            .busy,
            "The store does not answer: a read takes longer than \(context.patience.metrics.components.seconds) s")
    }
}
