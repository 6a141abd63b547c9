import DequeModule
import ErrandSessionCore
package import ErrandTaskAdmission
import ErrandTaskStore
package import ErrandTransfer

/// A task with an attempt or a step under way.
///
/// Steps of a task run serially; each is stored before the next begins. The caller that finds the queue idle drains it.
///
/// Used only under the dispatcher's lock. A class, because a change of a value in a dictionary allocates memory.
final class LiveTask {
    /// The task as it is stored after the current step.
    var record: TaskRecord
    /// The request prepared when the task was accepted, for its first attempt.
    var prepared: PreparedRequest?
    /// The attempt under way or suspended.
    var attempt: Attempt?
    private var steps: Deque<Waiting> = []
    private var isDraining = false
    /// The error of the last try to store the current step, which is retried until it succeeds; `nil` without an error.
    private(set) var trouble: TaskStoreError?

    /// An attempt that has begun and not ended.
    struct Attempt {
        /// Runs the attempt; canceling this task closes the connection.
        var work: Task<Void, Never>
        /// Suspends, resumes and limits the attempt.
        var control: AttemptControl
        /// The time at which the attempt began.
        var begin: ContinuousClock.Instant
        /// Measures the rates; `nil` until the progress is read.
        var gauge: TransferGauge?
        /// True if the gateway ends: the attempt is cut off, and its task left as it is for the next start to recover.
        var isAbandoned = false
    }

    /// Returns the control of the attempt, and its rates up to now; `nil` without an attempt.
    func measure(at now: ContinuousClock.Instant) -> (control: AttemptControl, rates: TransferRates)? {
        guard let attempt else { return nil }
        let gauge = attempt.gauge ?? TransferGauge(since: attempt.begin)
        self.attempt?.gauge = gauge
        return (attempt.control, gauge.rates(at: attempt.control.transferProgress, now))
    }

    /// A queued step, and the reply for the client that waits for it.
    struct Waiting {
        var step: TaskStep
        var reply: PendingReply?
    }

    init(_ record: TaskRecord, prepared: PreparedRequest? = nil) {
        self.record = record
        self.prepared = prepared
    }

    /// Begins draining the steps; returns false if another caller is draining them.
    func beginDraining() -> Bool {
        defer { isDraining = true }
        return !isDraining
    }

    /// True if the task has no attempt and no step.
    var isIdle: Bool {
        !isDraining && attempt == nil && steps.isEmpty
    }

    func append(_ waiting: Waiting) {
        steps.append(waiting)
    }

    /// Records that the current step could not be stored and will be retried.
    ///
    /// - Returns: The queued steps that clients wait for, which are removed and will not be done.
    func fail(with error: TaskStoreError) -> [Waiting] {
        trouble = error
        let refused = steps.compactMap { $0.reply == nil ? nil : $0 }
        steps.removeAll { $0.reply != nil }
        return refused
    }

    /// Records that the current step was stored or given up.
    func recover() {
        trouble = nil
    }

    /// True if the end of its attempt, or another change of the task while that is open, could not be stored yet.
    ///
    /// It is repeated until it is stored; if the process ends before, the next start recovers the task.
    var isStoringEnd: Bool { trouble != nil && record.hasOpenAttempt }

    /// The number of queued steps from which on no step of a client is added.
    ///
    /// While the store hangs, clients repeat commands that they were told are not done yet.
    static let maxWaiting = 32

    /// The refusal of another step of a client, because too many are queued; `nil` if there is room.
    var refusalOfMore: TaskStoreError? {
        guard steps.count >= Self.maxWaiting else { return nil }
        return TaskStoreError(.busy, "The task has too many changes that the task store has not stored yet")
    }

    /// The queued steps.
    ///
    /// Not `Array(steps)`, which for an empty deque writes to the storage that all empty arrays share, without a lock.
    var waiting: [Waiting] { steps.map(\.self) }

    /// Puts a step back at the front, to be computed again.
    func putBack(_ waiting: Waiting) {
        steps.prepend(waiting)
    }

    /// Returns the next step, or `nil` if there is none, which ends the draining.
    func nextStep() -> Waiting? {
        let step = steps.popFirst()
        isDraining = step != nil
        return step
    }

    /// Ends draining if no step waits.
    ///
    /// - Returns: False if a step waits: draining continues.
    func endDrainingIfIdle() -> Bool {
        isDraining = !steps.isEmpty
        return !isDraining
    }
}

/// The part of a task's state that is not stored and changes without a new revision.
package struct LiveTaskState: Sendable, Hashable {
    /// The progress of the current transfer; `nil` if none has begun.
    package var progress: TransferProgress?
    /// The rates of the current transfer.
    package var rates: TransferRates
    /// The reason why the task waits; `nil` if nothing delays it.
    package var waitReason: WaitReason?

    /// Creates a state; empty by default.
    package init(
        progress: TransferProgress? = nil, rates: TransferRates = TransferRates(), waitReason: WaitReason? = nil
    ) {
        // An empty progress says less than the stored result.
        self.progress = progress == TransferProgress() ? nil : progress
        self.rates = rates
        self.waitReason = waitReason
    }
}
