import DequeModule
import SessionCore
import TaskStore

/// A task that something is being done to: its attempt is under way, or a step is.
///
/// Steps of one task are worked off one at a time, each stored before the next begins, by whoever holds the pen.
struct LiveTask {
    /// The task as it is stored, once the step at hand is.
    var record: TaskRecord
    /// The request as it was prepared when the task came in, for its first attempt.
    var prepared: PreparedRequest?
    /// The attempt under way, or standing still.
    var attempt: Attempt?
    private var steps: Deque<Waiting> = []
    private var isPenTaken = false

    /// An attempt that has begun and not ended.
    struct Attempt {
        /// Runs it; cancelling it closes the connection.
        var work: Task<Void, Never>
        /// Has it stand still and go on.
        var control: AttemptControl
        /// The gateway ends: the attempt is cut off, and its task left as it is for the next start to recover.
        var isAbandoned = false
    }

    /// A step that waits for its turn, and who waits for it.
    struct Waiting {
        var step: TaskStep
        var reply: CheckedContinuation<StepReply, Never>?
    }

    init(_ record: TaskRecord, prepared: PreparedRequest? = nil) {
        self.record = record
        self.prepared = prepared
    }

    /// Takes the pen, if nobody has it: who gets it works off the steps.
    mutating func takePen() -> Bool {
        defer { isPenTaken = true }
        return !isPenTaken
    }

    /// Nothing is being done to it.
    var isIdle: Bool {
        !isPenTaken && attempt == nil && steps.isEmpty
    }

    mutating func append(_ waiting: Waiting) {
        steps.append(waiting)
    }

    /// The steps that wait for their turn.
    var waiting: [Waiting] { Array(steps) }

    /// Puts a step back in front: it has to be worked out again.
    mutating func putBack(_ waiting: Waiting) {
        steps.prepend(waiting)
    }

    /// The next step, or `nil`: the pen is laid down.
    mutating func nextStep() -> Waiting? {
        let step = steps.popFirst()
        isPenTaken = step != nil
        return step
    }
}

/// What became of a step.
enum StepReply: Sendable {
    /// It is done and stored.
    case changed(TaskRecord)
    /// It was so already.
    case unchanged(TaskRecord)
    /// It does not belong to where the task is.
    case refused(TaskRecord)
    /// The task is not as the client believed.
    case preconditionFailed(TaskRecord)
    /// There is no such task any more.
    case gone
    /// It could not be stored.
    case failed(TaskStoreError)
}
