import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore

/// A reference type around an admission, since expectations cannot mutate values, with a clock that tests advance.
final class AdmissionSubject {
    private var admission: Admission
    private let origin = ContinuousClock.now
    private(set) var now: ContinuousClock.Instant
    private let ids = TaskIDGenerator()

    init(maxRunning: Int, window: Int = 100, rules: [String: SessionRules]) {
        now = origin
        admission = Admission(maxRunning: maxRunning, window: window, rules: rules, at: origin)
    }

    /// Creates an admission of sessions with limits of concurrency only.
    convenience init(maxRunning: Int, window: Int, limits: [String: Int]) {
        self.init(maxRunning: maxRunning, window: window, rules: limits.mapValues { .concurrent($0) })
    }

    /// Advances the time.
    func advance(by duration: Duration) { now = now.advanced(by: duration) }

    /// Returns the time between the beginning and an instant.
    func offset(_ instant: ContinuousClock.Instant?) -> Duration? { instant.map { origin.duration(to: $0) } }

    var running: Int { admission.running }

    func running(session: String) -> Int { admission.running(session: session) }

    func reserve(session: String) -> Bool { reserve(ids.next(), session: session) }

    func reserve(_ task: TaskID, session: String) -> Bool { admission.reserve(task, session: session, at: now) }

    func release(_ task: TaskID? = nil, session: String, hasBegun: Bool = true) {
        admission.release(task ?? ids.next(), session: session, hasBegun: hasBegun, at: now)
    }

    func giveBack(_ task: TaskID, session: String) { admission.giveBack(task, session: session, at: now) }

    func isDestined(_ task: TaskID) -> Bool { admission.isDestined(task) }

    func enqueue(_ position: QueuePosition, session: String) { admission.enqueue(position, session: session) }

    /// Queues a new task of medium priority.
    @discardableResult
    func enqueueNew(session: String) -> TaskID {
        let id = ids.next()
        enqueue(QueuePosition(priority: 5, readyAt: id.timestamp, id: id), session: session)
        return id
    }

    func set(_ reason: Admission.PauseReason, to isOn: Bool, session: String) -> Bool {
        admission.set(reason, to: isOn, session: session)
    }

    func waitReason(session: String) -> WaitReason? { admission.waitReason(session: session, at: now) }

    func configure(maxRunning: Int, window: Int, limits: [String: Int]) {
        configure(maxRunning: maxRunning, window: window, rules: limits.mapValues { .concurrent($0) })
    }

    func configure(maxRunning: Int, window: Int = 100, rules: [String: SessionRules]) {
        admission.configure(maxRunning: maxRunning, window: window, rules: rules, at: now)
    }

    func withdraw(_ id: TaskID, session: String) { admission.withdraw(id, session: session) }

    func noteStored(session: String) { admission.noteStored(session: session) }

    func start() -> Admission.Starts { admission.start(at: now) }

    var isAtRest: Bool { admission.isAtRest }

    func nextLoad() -> Admission.Load? { admission.nextLoad() }

    func didLoad(_ load: Admission.Load, _ positions: [QueuePosition]?) { admission.didLoad(load, positions) }

    func stayQuiet(for duration: Duration, session: String, toldTo task: TaskID? = nil) {
        admission.stayQuiet(session: session, until: now.advanced(by: duration), toldTo: task)
    }

    func forgetUpstream(session: String) { admission.forgetUpstream(session: session) }

    func waitsAtDestination(_ task: TaskID) -> Bool { admission.waitsAtDestination(task) }

    func note(_ outcome: CircuitBreaker.Outcome, of task: TaskID, session: String) {
        admission.note(outcome, of: task, session: session, at: now)
    }

    /// Ends an attempt with an outcome, and releases its slot.
    func end(_ task: TaskID, _ outcome: CircuitBreaker.Outcome, session: String) {
        note(outcome, of: task, session: session)
        release(task, session: session)
    }

    func mustStop(_ task: TaskID, session: String) -> Bool { admission.mustStop(task, session: session, at: now) }

    func conditions(session: String) -> Admission.Conditions? { admission.conditions(session: session, at: now) }

    func noteFirstAttempt(_ task: TaskID, session: String) {
        admission.noteFirstAttempt(of: task, session: session, at: now)
    }

    func noteRetrySuccess(_ task: TaskID, session: String) {
        admission.noteRetrySuccess(of: task, session: session, at: now)
    }

    func takeRetry(session: String, to key: Admission.DestinationKey? = nil) -> Duration? {
        admission.takeRetry(session: session, to: key, at: now)
    }

    func pause(of key: Admission.DestinationKey, for task: TaskID) -> Duration? {
        admission.pause(of: key, for: task, at: now)
    }

    func retryPause(session: String, to key: Admission.DestinationKey? = nil) -> Duration? {
        admission.retryPause(session: session, to: key, at: now)
    }

    func failureAge(of key: Admission.DestinationKey) -> Duration? { admission.failureAge(of: key, at: now) }

    func begin(
        _ position: QueuePosition, session: String = "a", to key: Admission.DestinationKey?, needsToken: Bool = false
    ) -> Admission.StartVerdict {
        admission.begin(position, session: session, to: key, needsToken: needsToken, at: now)
    }

    /// Queues a retry, takes its slot, and has it take a token.
    ///
    /// - Returns: The task; `nil` if the verdict is another one.
    func beginRetry(
        session: String, to key: Admission.DestinationKey? = nil, _ expected: Admission.StartVerdict = .begins
    ) -> TaskID? {
        let id = enqueueNew(session: session)
        guard start().tasks.map(\.id) == [id] else { return nil }
        let position = QueuePosition(priority: 5, readyAt: id.timestamp, id: id)
        return begin(position, session: session, to: key, needsToken: true) == expected ? id : nil
    }

    /// Takes all tokens for retries, and returns their number, at most 1000.
    func takeRetries(session: String, to key: Admission.DestinationKey? = nil) -> Int {
        var taken = 0
        while taken < 1000, takeRetry(session: session, to: key) == nil { taken += 1 }
        return taken
    }
}

extension SessionRules {
    /// Returns rules with a limit of concurrency only.
    static func concurrent(_ count: Int) -> SessionRules { SessionRules(limits: SessionLimits(concurrent: count)) }

    /// Returns rules with a rate, and with a burst that defaults to the rate's count.
    static func rate(_ count: Int, per period: Duration, burst: Int? = nil, concurrent: Int = 1000) -> SessionRules {
        SessionRules(
            limits: SessionLimits(concurrent: concurrent, rate: StartRate(count, per: period), burst: burst))
    }

    /// Returns rules with a circuit that opens for ten seconds after some failures in a minute.
    static func circuit(_ failures: Int, concurrent: Int = 100) -> SessionRules {
        SessionRules(
            limits: SessionLimits(concurrent: concurrent),
            circuitBreaker: CircuitBreakerConfiguration(failures: failures, window: .seconds(60), open: .seconds(10)))
    }
}
