import DequeModule
import ErrandLocking
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime
import ErrandTransfer

import struct Synchronization.Atomic

/// A timer that publishes the progress of running tasks twice a second, while there are streams and running tasks, and
/// an observer that publishes the changes of sessions as they occur.
///
/// Any thread.
final class ProgressTicker: LiveObserver {
    /// The interval of progress events, shared by all tasks.
    static let interval = Duration.milliseconds(500)

    private struct State {
        var isTicking = false
        /// The progress last published for each watched task.
        var told: [TaskID: TransferProgress] = [:]
        /// The final progress events of recently ended attempts.
        var ends: [TaskID: (attempt: Int, bytes: [UInt8])] = [:]
        /// The sessions whose upstream was published as unreachable.
        var unreachable: Set<String> = []
        /// The tasks of `ends`, oldest first.
        var order: Deque<TaskID> = []
    }

    /// The maximum number of remembered final progress events.
    static let rememberedEnds = 1024

    /// The number of open streams.
    private let streams = Atomic(0)

    private let state = Mutex(State())
    private let hub: EventHub
    private let dispatcher: Dispatcher
    private let now: @Sendable () -> Timestamp
    private let timer: SharedTimer

    init(hub: EventHub, dispatcher: Dispatcher, now: @escaping @Sendable () -> Timestamp, timer: SharedTimer) {
        self.hub = hub
        self.dispatcher = dispatcher
        self.now = now
        self.timer = timer
        dispatcher.observe(self)
    }

    /// Starts ticking for a waiting stream, unless no task runs.
    func watchBegins() {
        guard dispatcher.hasLiveTasks else { return }
        let begins = state.withLock { state in
            defer { state.isTicking = true }
            return !state.isTicking
        }
        guard begins else { return }
        _ = timer.set(after: Self.interval) { [weak self] in self?.tick() }
    }

    /// Counts a new stream; final progress events are remembered while there are streams.
    func streamBegins() { streams.add(1, ordering: .relaxed) }

    /// Counts the end of a stream.
    func streamEnds() { streams.subtract(1, ordering: .relaxed) }

    /// The number of open streams.
    var streamCount: Int { streams.load(ordering: .relaxed) }

    /// Returns the final progress event of an attempt; `nil` if it moved no bytes or was evicted.
    func end(of task: TaskID, attempt: Int) -> [UInt8]? {
        state.withLock { state in
            state.ends[task].flatMap { $0.attempt == attempt ? $0.bytes : nil }
        }
    }

    func attemptDidEnd(_ record: TaskRecord, _ progress: TransferProgress) {
        guard streams.load(ordering: .relaxed) > 0, let progress = LiveTaskState(progress: progress).progress else {
            return
        }
        let bytes = EventDocument.progress(progress, of: record, at: now())
        state.withLock { state in
            if state.ends.updateValue((record.attemptCount, bytes), forKey: record.id) == nil {
                state.order.append(record.id)
            }
            if state.order.count > Self.rememberedEnds, let oldest = state.order.popFirst() {
                state.ends[oldest] = nil
            }
        }
    }

    func sessionDidChange(_ session: String, _ change: SessionChange) {
        guard isNews(change, of: session) else { return }
        hub.post(EventDocument.change(change, of: session, at: now()), of: session)
    }

    private func isNews(_ change: SessionChange, of session: String) -> Bool {
        guard case .reachability(let reachability) = change else { return true }
        return state.withLock { state in
            // The first success of an upstream is not news.
            guard reachability == .notReachable else { return state.unreachable.remove(session) != nil }
            return state.unreachable.insert(session).inserted
        }
    }

    private func tick() {
        state.withLock { $0.isTicking = false }
        guard hub.isWatched else { return state.withLock { $0.told = [:] } }
        let running = dispatcher.progressOfRunningTasks()
        let watched = Set(hub.watched(of: running.map(\.record)).map(\.id))
        let moment = now()
        let news = state.withLock { state in
            let before = state.told
            state.told = [:]
            for (record, progress, _) in running where watched.contains(record.id) { state.told[record.id] = progress }
            return running.filter { watched.contains($0.record.id) && before[$0.record.id] != $0.progress }
        }
        hub.tell(
            news.map { record, progress, rates in
                ProgressNote(
                    record: record,
                    bytes: EventDocument.progress(progress, rates: rates, of: record, at: moment))
            })
        // Continues, unless no task runs any more.
        watchBegins()
    }
}
