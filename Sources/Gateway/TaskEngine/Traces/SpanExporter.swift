import ErrandConfiguration
import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTaskEvents
import ErrandTransfer
import HTTPTypes

import struct Synchronization.Atomic

/// Sends spans to a collector (OTLP over HTTP, in JSON), through one of the gateway's sessions.
///
/// Spans are sent in batches: when enough wait, or when the first has waited for the interval. One request is under way
/// at a time. A batch that the collector cannot take now is sent again, with growing pauses; meanwhile spans wait up to a
/// number, and further ones are lost, which is logged. Any thread.
final class SpanExporter: Sendable {
    /// The outcome of sending a batch.
    private enum Outcome {
        /// The collector has taken the batch, except for what it rejected.
        case taken(PartialSuccess)
        /// The collector may take it later.
        case later(String)
        /// The collector will never take it.
        case refused(String)
    }

    private struct State {
        /// The settings; `nil` if no spans are sent.
        var settings: TracingConfiguration.OTLP?
        /// The session with the name in the settings when they were applied.
        weak var session: Session?
        /// Counts the changes of the collector.
        var collector = 0
        var queue = SpanQueue(capacity: 0)
        /// The request under way.
        var sending: Task<Void, Never>?
        /// The end of the pause before the next request.
        var pause: SharedTimer.Token?
        /// The number of requests to the collector that failed in succession.
        var failures = 0
        /// The number of spans that the collector has taken.
        var sent = 0
        /// The number of spans that were lost and logged.
        var lost = 0
        var isClosed = false
    }

    /// The longest pause between two requests.
    private static let maxPause = Duration.seconds(60)
    /// The statuses after which a batch is sent again (OTLP, "Retryable Response Codes").
    private static let retryableStatuses: Set<Int> = [429, 502, 503, 504]

    private static let noRoom = "too many wait for the collector"

    private let sessions: SessionCatalog
    private let timer: SharedTimer
    private let log: TaskLog
    private let serviceVersion: String
    private let state = Mutex(State())
    private let on = Atomic(false)

    /// Creates an exporter that sends nothing until ``configure(_:)``.
    init(sessions: SessionCatalog, timer: SharedTimer, log: TaskLog, serviceVersion: String) {
        self.sessions = sessions
        self.timer = timer
        self.log = log
        self.serviceVersion = serviceVersion
    }

    /// True if spans are sent.
    var isOn: Bool { on.load(ordering: .relaxed) }

    /// Applies settings; with `nil`, the waiting spans are lost.
    ///
    /// Ends the pause after failures if the settings or the session have changed: it was for the former collector.
    func configure(_ settings: TracingConfiguration.OTLP?) {
        let session = settings.flatMap { sessions[$0.session] }
        state.withLock { state in
            if settings == nil, let former = state.settings {
                lose(state.queue.removeAll(), to: former.session, because: "the collector was removed", &state)
            }
            let isOther = settings != state.settings || session !== state.session
            state.settings = settings
            state.session = session
            state.queue.capacity = settings?.maxQueued ?? 0
            guard isOther else { return }
            state.collector += 1
            state.failures = 0
            if let pause = state.pause.take() { timer.cancel(pause) }
            plan(&state)
        }
        on.store(settings != nil, ordering: .relaxed)
    }

    /// Adds a span, if spans are sent and there is one.
    func add(_ span: @autoclosure () -> Span?) {
        guard isOn, let span = span() else { return }
        state.withLock { state in
            guard state.settings != nil, !state.isClosed else { return }
            state.queue.append(span)
            plan(&state)
        }
    }

    /// Sends the waiting spans, and no more afterwards.
    ///
    /// - Parameter limit: The longest time for it.
    func close(within limit: Duration) async {
        let (pause, sending) = state.withLock { state in
            state.isClosed = true
            return (state.pause.take(), state.sending)
        }
        if let pause { timer.cancel(pause) }
        let flush = Task {
            await withTaskCancellationHandler {
                await sending?.value
            } onCancel: {
                sending?.cancel()
            }
            await sendRest()
        }
        let end = timer.set(after: limit) { flush.cancel() }
        await flush.value
        timer.cancel(end)
    }

    /// Returns the number of spans that wait, that the collector has taken, and that were lost.
    var counts: (waiting: Int, sent: Int, lost: Int) {
        state.withLock { ($0.queue.count, $0.sent, $0.lost + $0.queue.lost) }
    }

    // MARK: Sending

    /// Begins a request or a pause before it, if spans wait and neither is under way.
    private func plan(_ state: inout State) {
        guard let settings = state.settings, !state.isClosed, state.sending == nil, state.queue.count > 0 else {
            return
        }
        if state.failures == 0, state.queue.isBatchFull { return begin(settings, &state) }
        guard state.pause == nil else { return }
        let pause = settings.interval * (1 << min(state.failures, 10))
        state.pause = timer.set(after: min(pause, max(settings.interval, Self.maxPause))) { [weak self] in
            self?.pauseDidEnd()
        }
    }

    private func pauseDidEnd() {
        state.withLock { state in
            state.pause = nil
            guard let settings = state.settings, !state.isClosed, state.sending == nil, state.queue.count > 0 else {
                return
            }
            begin(settings, &state)
        }
    }

    private func begin(_ settings: TracingConfiguration.OTLP, _ state: inout State) {
        let batch = state.queue.takeBatch()
        let collector = state.collector
        state.sending = Task {
            let outcome = await send(batch, settings)
            self.state.withLock { state in
                state.sending = nil
                settle(batch, by: outcome, to: settings.session, in: &state)
                // The former collector has failed, and not the one in force.
                if state.collector != collector { state.failures = 0 }
                plan(&state)
            }
        }
    }

    /// Sends what waits, until a batch is not taken that could be taken later.
    private func sendRest() async {
        while let settings = state.withLock({ $0.settings }) {
            let batch = state.withLock { state in
                lose(state.queue.takeLost(), to: settings.session, because: Self.noRoom, &state)
                return state.queue.takeBatch()
            }
            guard !batch.isEmpty else { return }
            switch await send(batch, settings) {
            case .taken(let success):
                state.withLock { state in
                    state.sent += batch.count - success.rejected
                    lose(success.rejected, to: settings.session, because: success.reason, &state)
                }
            case .refused(let reason):
                state.withLock { lose(batch.count, to: settings.session, because: reason, &$0) }
            case .later(let reason):
                return state.withLock {
                    lose(batch.count + $0.queue.removeAll(), to: settings.session, because: reason, &$0)
                }
            }
        }
    }

    /// Counts and logs lost spans; does nothing if there are none.
    private func lose(_ count: Int, to session: String, because reason: String, _ state: inout State) {
        guard count > 0 else { return }
        state.lost += count
        log.spansWereLost(count, to: session, because: reason)
    }

    private func settle(_ batch: [Span], by outcome: Outcome, to session: String, in state: inout State) {
        var reason = Self.noRoom
        var lost = 0
        switch outcome {
        case .taken(let success):
            state.failures = 0
            state.sent += batch.count - success.rejected
            if success.rejected > 0 {
                lost = success.rejected
                reason = success.reason
            }
        case .later(let trouble):
            state.failures += 1
            state.queue.putBack(batch)
            reason += ": \(trouble)"
        case .refused(let refusal):
            state.failures = 0
            lost = batch.count
            reason = refusal
        }
        lose(lost + state.queue.takeLost(), to: session, because: reason, &state)
    }

    private func send(_ batch: [Span], _ settings: TracingConfiguration.OTLP) async -> Outcome {
        guard let lease = sessions.lease(settings.session) else { return .later("there is no such session") }
        defer { sessions.end(lease) }
        let content = SpanDocument.bytes(
            of: batch, serviceName: settings.serviceName, serviceVersion: serviceVersion)
        var request = TaskRequest(method: "POST", path: settings.path, body: .json(content))
        request.isJudgedByStatus = true
        // The status decides, also if the content is not what the session's serializer expects.
        request.responseSerializer = .raw
        let prepared: PreparedRequest
        do throws(RequestProblems) {
            prepared = try lease.session.prepare(request)
        } catch {
            return .refused(error.error.message)
        }
        let outcome = await lease.session.run(prepared, sink: MemorySink())
        guard let error = outcome.error else {
            return .taken(PartialSuccess(outcome.response?.body, spans: batch.count))
        }
        if let status = outcome.response?.head.status, !Self.retryableStatuses.contains(status) {
            return .refused(error.message)
        }
        return .later(error.message)
    }
}
