import ErrandLocking
import ErrandMetrics
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// The counts of tasks and attempts that ended since the start of the process, by session.
///
/// A record takes one lock for a moment; it allocates memory only for the first task of a session and for the first
/// error of each code. Any thread.
final class TaskMeters: Sendable {
    private let sessions = Mutex<[String: SessionMeter]>([:])

    /// Creates counts of zero.
    init() {}

    /// Returns the counts of a session.
    subscript(session: String) -> SessionMeter {
        sessions.withLock { $0[session] } ?? SessionMeter()
    }

    /// Counts a task that has ended; no-op for a task in another state.
    func taskEnded(_ record: TaskRecord) {
        guard let outcome = SessionMeter.outcome(of: record.state) else { return }
        let milliseconds = record.finishedAt.map { $0.milliseconds - record.createdAt.milliseconds } ?? 0
        sessions.withLock { sessions in
            sessions[record.session, default: SessionMeter()]
                .taskEnded(record.kind, outcome, seconds: Double(max(milliseconds, 0)) / 1000)
        }
    }

    /// Counts the wait of a task for the attempt that begins; no-op for a task that a client told to run at once, whose
    /// wait is not stored.
    ///
    /// - Parameter record: The task, last changed by the start of the attempt.
    func attemptBegan(of record: TaskRecord) {
        guard record.readyAt != .earliest else { return }
        let milliseconds = max(0, record.updatedAt.milliseconds - record.readyAt.milliseconds)
        sessions.withLock { sessions in
            sessions[record.session, default: SessionMeter()].attemptBegan(wait: Double(milliseconds) / 1000)
        }
    }

    /// Counts the phases of an attempt that has ended.
    ///
    /// - Parameter metrics: The metrics of the attempt.
    func attemptMeasured(of record: TaskRecord, _ metrics: TransferMetrics) {
        sessions.withLock { sessions in
            sessions[record.session, default: SessionMeter()].attemptMeasured(metrics)
        }
    }

    /// Counts an attempt that has ended.
    ///
    /// - Parameters:
    ///   - record: The task.
    ///   - attempt: The outcome.
    ///   - duration: The time from the attempt's begin to its end.
    ///   - progress: The content that was sent and received.
    func attemptEnded(
        of record: TaskRecord, _ attempt: EndedAttempt, duration: Duration, progress: TransferProgress
    ) {
        sessions.withLock { sessions in
            sessions[record.session, default: SessionMeter()].attemptEnded(
                isRetry: record.attemptCount > 1, status: attempt.status, error: attempt.error?.code,
                seconds: duration / .seconds(1), progress)
        }
    }
}

/// The counts of one session.
struct SessionMeter: Sendable {
    /// The limits of the buckets for whole tasks, in seconds.
    static let taskLimits = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600, 3600, 86_400]
    /// The limits of the buckets for attempts, in seconds.
    static let attemptLimits = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
    /// The limits of the buckets for waits in the queue, in seconds.
    static let waitLimits = [0.005, 0.05, 0.5, 1, 5, 10, 60, 600, 3600, 86_400]
    /// The limits of the buckets for phases of attempts, in seconds.
    static let phaseLimits = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30, 300]
    /// The states in which a task ends.
    static let outcomes: [TaskState] = [.succeeded, .failed, .canceled]
    /// The classes of an attempt's status; the first is for attempts without a response.
    static let statusClasses = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"]

    /// The tasks that ended, by kind and outcome.
    private var ends = Array(repeating: 0, count: TaskKind.allCases.count * Self.outcomes.count)
    /// The attempts, in the order of ``statusClasses``.
    private(set) var attempts = Array(repeating: 0, count: Self.statusClasses.count)
    /// The attempts that failed, by error code.
    private(set) var errors: [SessionErrorCode: Int] = [:]
    /// The attempts after the first of their task.
    private(set) var retries = 0
    /// The content of requests that was sent, in bytes.
    private(set) var sentBytes = 0
    /// The content of responses that was received, in bytes.
    private(set) var receivedBytes = 0
    /// The times from the creation of a task to its end.
    private(set) var taskSeconds = Histogram(limits: Self.taskLimits)
    /// The times of attempts.
    private(set) var attemptSeconds = Histogram(limits: Self.attemptLimits)
    /// The times from which tasks could have started to the start of their attempts.
    private(set) var waitSeconds = Histogram(limits: Self.waitLimits)
    /// The times of the phases of attempts, in the order of ``AttemptPhase``.
    private var phases = AttemptPhase.allCases.map { _ in Histogram(limits: Self.phaseLimits) }

    /// Returns the number of tasks of a kind that ended in a state.
    func finished(_ kind: TaskKind, _ outcome: TaskState) -> Int {
        Self.outcome(of: outcome).map { ends[Self.index(of: kind, $0)] } ?? 0
    }

    /// Returns the times of a phase, of the attempts that had it.
    func seconds(of phase: AttemptPhase) -> Histogram {
        phases[phase.rawValue]
    }

    /// Returns the position of a state in ``outcomes``; `nil` if a task does not end in it.
    static func outcome(of state: TaskState) -> Int? {
        switch state {
        case .succeeded: 0
        case .failed: 1
        case .canceled: 2
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling: nil
        }
    }

    private static func index(of kind: TaskKind, _ outcome: Int) -> Int {
        let number =
            switch kind {
            case .data: 0
            case .upload: 1
            case .download: 2
            case .callback: 3
            }
        return number * outcomes.count + outcome
    }

    fileprivate mutating func taskEnded(_ kind: TaskKind, _ outcome: Int, seconds: Double) {
        ends[Self.index(of: kind, outcome)] += 1
        taskSeconds.observe(seconds)
    }

    fileprivate mutating func attemptBegan(wait: Double) {
        waitSeconds.observe(wait)
    }

    fileprivate mutating func attemptMeasured(_ metrics: TransferMetrics) {
        for phase in AttemptPhase.allCases {
            guard let duration = phase.duration(in: metrics) else { continue }
            phases[phase.rawValue].observe(duration / .seconds(1))
        }
    }

    fileprivate mutating func attemptEnded(
        isRetry: Bool, status: Int?, error: SessionErrorCode?, seconds: Double, _ progress: TransferProgress
    ) {
        let statusClass = (status ?? 0) / 100
        attempts[attempts.indices.contains(statusClass) ? statusClass : 0] += 1
        if let error { errors[error, default: 0] += 1 }
        if isRetry { retries += 1 }
        sentBytes += Int(progress.sent)
        receivedBytes += Int(progress.received)
        attemptSeconds.observe(seconds)
    }
}
