import Locking
import SessionCore
import TaskEvents
import TaskStore
import Transfer

/// Tells watchers twice a second how far running tasks have come, as long as somebody watches and something runs.
///
/// Any thread.
final class ProgressTicker: Sendable {
    /// How often, for all together.
    static let interval = Duration.milliseconds(500)

    private struct State {
        var isTicking = false
        /// What was told last of each task that is watched.
        var told: [TaskID: TransferProgress] = [:]
    }

    private let state = Mutex(State())
    private let hub: EventHub
    private let dispatcher: Dispatcher
    private let timer: SharedTimer

    init(hub: EventHub, dispatcher: Dispatcher, timer: SharedTimer) {
        self.hub = hub
        self.dispatcher = dispatcher
        self.timer = timer
    }

    /// Somebody begins to watch: ticks, unless nothing runs.
    func watchBegins() {
        guard dispatcher.hasLiveTasks else { return }
        let begins = state.withLock { state in
            defer { state.isTicking = true }
            return !state.isTicking
        }
        guard begins else { return }
        _ = timer.set(after: Self.interval) { [weak self] in self?.tick() }
    }

    private func tick() {
        state.withLock { $0.isTicking = false }
        guard hub.isWatched else { return state.withLock { $0.told = [:] } }
        let running = dispatcher.progressOfRunningTasks()
        let watched = Set(hub.watched(of: running.map(\.record)).map(\.id))
        let now = dispatcher.now()
        let news = state.withLock { state in
            let before = state.told
            state.told = [:]
            for (record, progress) in running where watched.contains(record.id) { state.told[record.id] = progress }
            return running.filter { watched.contains($0.record.id) && before[$0.record.id] != $0.progress }
        }
        hub.tell(
            news.map { record, progress in
                ProgressNote(record: record, bytes: EventDocument.progress(progress, of: record, at: now))
            })
        // Goes on, unless nothing runs any more.
        watchBegins()
    }
}

extension Dispatcher {
    /// Something is being done to a task: it runs, or a step of it is taken.
    var hasLiveTasks: Bool { state.withLock { !$0.live.isEmpty } }

    /// The tasks whose attempt moves, with how far it has come.
    func progressOfRunningTasks() -> [(record: TaskRecord, progress: TransferProgress)] {
        let attempts = state.withLock { state in
            state.live.values.compactMap { task in task.attempt.map { (task.record, $0.control) } }
        }
        return attempts.compactMap { record, control in
            guard record.state == .running else { return nil }
            // Nothing was done yet when all is zero: there is nothing to tell.
            return LiveTaskState(progress: control.progress).progress.map { (record, $0) }
        }
    }
}
