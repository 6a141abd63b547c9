import SessionCore
import TaskAdmission
import TaskStore

/// An admission that expectations can ask to change, as they take no value that changes, and a time that tests let pass.
final class AdmissionSubject {
    private var admission: Admission
    private let origin = ContinuousClock.now
    private(set) var now: ContinuousClock.Instant
    private let ids = TaskIDGenerator()

    init(maxRunning: Int, window: Int = 100, rules: [String: SessionRules]) {
        now = origin
        admission = Admission(maxRunning: maxRunning, window: window, rules: rules, at: origin)
    }

    /// An admission of sessions with so many places and nothing else.
    convenience init(maxRunning: Int, window: Int, limits: [String: Int]) {
        self.init(maxRunning: maxRunning, window: window, rules: limits.mapValues { .concurrent($0) })
    }

    /// Lets time pass.
    func advance(by duration: Duration) { now = now.advanced(by: duration) }

    /// How long ago, or how far ahead, an instant is from the beginning.
    func offset(_ instant: ContinuousClock.Instant?) -> Duration? { instant.map { origin.duration(to: $0) } }

    var running: Int { admission.running }

    func running(session: String) -> Int { admission.running(session: session) }

    func reserve(session: String) -> Bool { reserve(ids.next(), session: session) }

    func reserve(_ task: TaskID, session: String) -> Bool { admission.reserve(task, session: session, at: now) }

    func release(_ task: TaskID? = nil, session: String, hasBegun: Bool = true) {
        admission.release(task ?? ids.next(), session: session, hasBegun: hasBegun, at: now)
    }

    func enqueue(_ position: QueuePosition, session: String) { admission.enqueue(position, session: session) }

    /// Queues a new task of middling priority.
    @discardableResult
    func enqueueNew(session: String) -> TaskID {
        let id = ids.next()
        enqueue(QueuePosition(priority: 5, readyAt: id.timestamp, id: id), session: session)
        return id
    }

    func set(_ hold: Admission.Hold, to isOn: Bool, session: String) -> Bool {
        admission.set(hold, to: isOn, session: session)
    }

    func hold(session: String) -> TaskHold? { admission.hold(session: session, at: now) }

    func configure(maxRunning: Int, window: Int, limits: [String: Int]) {
        configure(maxRunning: maxRunning, window: window, rules: limits.mapValues { .concurrent($0) })
    }

    func configure(maxRunning: Int, window: Int = 100, rules: [String: SessionRules]) {
        admission.configure(maxRunning: maxRunning, window: window, rules: rules, at: now)
    }

    func withdraw(_ id: TaskID, session: String) { admission.withdraw(id, session: session) }

    func noteStored(session: String) { admission.noteStored(session: session) }

    func start() -> Admission.Starts { admission.start(at: now) }

    func nextLoad() -> Admission.Load? { admission.nextLoad() }

    func didLoad(_ load: Admission.Load, _ positions: [QueuePosition]?) { admission.didLoad(load, positions) }

    func stayQuiet(for duration: Duration, session: String) {
        admission.stayQuiet(session: session, until: now.advanced(by: duration))
    }

    func note(_ outcome: CircuitBreaker.Outcome, of task: TaskID, session: String) {
        admission.note(outcome, of: task, session: session, at: now)
    }

    /// An attempt ends so, and gives its place back.
    func end(_ task: TaskID, _ outcome: CircuitBreaker.Outcome, session: String) {
        note(outcome, of: task, session: session)
        release(task, session: session)
    }

    func mustStop(_ task: TaskID, session: String) -> Bool { admission.mustStop(task, session: session, at: now) }

    func conditions(session: String) -> Admission.Conditions? { admission.conditions(session: session, at: now) }

    func noteFirstAttempt(session: String) { admission.noteFirstAttempt(session: session, at: now) }

    func reserveRetry(session: String) -> Duration { admission.reserveRetry(session: session, at: now) }
}

extension SessionRules {
    /// So many places, and nothing else.
    static func concurrent(_ count: Int) -> SessionRules { SessionRules(limits: SessionLimits(concurrent: count)) }

    /// So many starts in a time, and as many at once.
    static func rate(_ count: Int, per period: Duration, burst: Int? = nil, concurrent: Int = 1000) -> SessionRules {
        SessionRules(
            limits: SessionLimits(concurrent: concurrent, rate: StartRate(count, per: period), burst: burst))
    }

    /// A circuit that opens after so many failures in a minute, for ten seconds.
    static func circuit(_ failures: Int, concurrent: Int = 100) -> SessionRules {
        SessionRules(
            limits: SessionLimits(concurrent: concurrent),
            circuitBreaker: CircuitBreakerConfiguration(failures: failures, window: .seconds(60), open: .seconds(10)))
    }
}
