import ErrandLocking
import ErrandTaskEvents
import ErrandTaskStore

/// A check that the store can write, which runs one probe at a time and caches the result for a moment.
///
/// A store that does not answer is an error after a while, and its probe stays the only one until it returns. Any
/// thread.
final class ReadinessProbe: Sendable {
    /// The lifetime of a result.
    static let lifetime = Duration.seconds(1)
    /// The time after which the store counts as not answering.
    static let patience = Duration.seconds(5)

    private let probe: @Sendable () async -> TaskStoreError?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let timer: SharedTimer
    private let state = Mutex(State())

    fileprivate struct State {
        var run: Run?
        var verdict: Verdict?
        /// The callers that wait for the probe.
        var waiting: [Continuation<TaskStoreError?>] = []
        /// The number of probes so far.
        var probes = 0
    }

    /// The probe under way.
    fileprivate struct Run {
        let number: Int
        /// True if the store does not answer.
        var isOverdue = false
    }

    fileprivate struct Verdict {
        let error: TaskStoreError?
        let time: ContinuousClock.Instant
    }

    fileprivate enum Step {
        case answers(TaskStoreError?)
        case waits
        case starts(Int)
    }

    /// Creates a probe without a result.
    ///
    /// - Parameters:
    ///   - timer: Measures how long a probe takes.
    ///   - probe: Returns the error, or `nil` on success.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        timer: SharedTimer = SharedTimer(ContinuousClock()),
        _ probe: @escaping @Sendable () async -> TaskStoreError?
    ) {
        self.now = now
        self.timer = timer
        self.probe = probe
    }

    /// Creates a probe of a store.
    convenience init(_ store: any TaskStore) {
        self.init {
            do throws(TaskStoreError) {
                try await store.checkWritable()
                return nil
            } catch {
                return error
            }
        }
    }

    /// Returns the error of the store, or `nil` if it can write.
    ///
    /// The wait is at most ``patience``, and does not end with the calling task: a client that has closed its sending side
    /// after the request still gets the response, and cannot be told from one that has left.
    func check() async -> TaskStoreError? {
        await withContinuation { admit($0) }
    }

    private func admit(_ continuation: Continuation<TaskStoreError?>) {
        let step = state.withLock { state -> Step in
            let next = state.step(at: now())
            if case .answers = next { return next }
            state.waiting.append(continuation)
            return next
        }
        switch step {
        case .answers(let error): continuation.resume(returning: error)
        case .waits: break
        case .starts(let run): start(run)
        }
    }

    private func start(_ run: Int) {
        let alarm = timer.set(after: Self.patience, grain: .milliseconds(100)) { [weak self] in self?.giveUp(run) }
        // A task of its own, so that a disconnected client does not cancel the probe for others.
        Task {
            let error = await probe()
            timer.cancel(alarm)
            conclude(error)
        }
    }

    private func conclude(_ error: TaskStoreError?) {
        let waiting = state.withLock { state in
            state.run = nil
            state.verdict = Verdict(error: error, time: now())
            return state.takeWaiting()
        }
        for continuation in waiting { continuation.resume(returning: error) }
    }

    /// Answers the callers of a probe that has not returned.
    private func giveUp(_ run: Int) {
        let waiting = state.withLock { state -> [Continuation<TaskStoreError?>] in
            guard state.run?.number == run else { return [] }
            state.run?.isOverdue = true
            return state.takeWaiting()
        }
        for continuation in waiting { continuation.resume(returning: Self.noAnswer) }
    }

    fileprivate static let noAnswer = TaskStoreError(
        .busy, "The store does not answer: a write takes longer than \(patience.components.seconds) s")
}

extension ReadinessProbe.State {
    /// Returns what a new caller does, and notes the probe that it starts.
    fileprivate mutating func step(at now: ContinuousClock.Instant) -> ReadinessProbe.Step {
        if let run { return run.isOverdue ? .answers(ReadinessProbe.noAnswer) : .waits }
        if let verdict, verdict.time.advanced(by: ReadinessProbe.lifetime) > now { return .answers(verdict.error) }
        probes += 1
        run = ReadinessProbe.Run(number: probes)
        return .starts(probes)
    }

    fileprivate mutating func takeWaiting() -> [Continuation<TaskStoreError?>] {
        defer { waiting = [] }
        return waiting
    }
}
