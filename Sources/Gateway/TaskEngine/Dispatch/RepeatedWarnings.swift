import ErrandLocking
import ErrandTaskEvents
import Logging

/// Warnings of which many may be alike: the first of an ``interval`` are logged one by one, the others are counted.
///
/// One line at the end of the interval reports their number. So the number of lines depends on the sessions and codes,
/// not on the number of tasks that an upstream fails. Any thread.
final class RepeatedWarnings: Sendable {
    /// The time in which repetitions are counted, from the first warning on.
    static let interval = Duration.seconds(60)

    /// The events that warnings are about.
    enum Subject: Sendable, Hashable {
        /// A task has ended failed.
        case failedTask
        /// An attempt to deliver a callback has failed, and another one follows.
        case failedDelivery
        /// A circuit has opened or closed.
        case circuit
        /// The queue of a session was full.
        case fullQueue
        /// Spans were not sent to the collector.
        case lostSpans
        /// A task could not be read.
        case unreadableTask
        /// An operation of the store has failed, and is repeated.
        case failedStore
        /// The task of a schedule could not be stored, and is stored later.
        case delayedRun
        /// A response to `GET /metrics` lacks ages of queues, which the store did not tell.
        case missingQueueAges

        /// The number of warnings that are logged one by one in an interval.
        var burst: Int {
            switch self {
            case .failedTask, .failedDelivery, .circuit: 10
            case .fullQueue, .lostSpans, .unreadableTask, .failedStore, .delayedRun, .missingQueueAges: 1
            }
        }

        /// The level of the lines.
        fileprivate var level: Logger.Level {
            switch self {
            case .failedTask, .failedDelivery, .circuit, .fullQueue, .lostSpans, .missingQueueAges: .warning
            case .unreadableTask, .failedStore, .delayedRun: .error
            }
        }

        /// The message about repetitions.
        fileprivate var message: Logger.Message {
            switch self {
            case .failedTask: "More tasks failed in the same way"
            case .failedDelivery: "More attempts to deliver callbacks failed in the same way"
            case .circuit: "The circuit changed more often"
            case .fullQueue: "More tasks were refused because the queue is full"
            case .lostSpans: "More spans were lost"
            case .unreadableTask: "More tasks could not be read"
            case .failedStore: "More operations of the store failed"
            case .delayedRun: "More tasks of schedules could not be stored"
            case .missingQueueAges: "More responses with metrics lack queue ages"
            }
        }

        /// The name of the number of repetitions.
        fileprivate var counted: String {
            switch self {
            case .failedTask, .fullQueue: "tasks"
            case .failedDelivery: "attempts"
            case .circuit: "changes"
            case .lostSpans, .unreadableTask, .failedStore, .delayedRun, .missingQueueAges: "times"
            }
        }
    }

    /// The warnings that count as repetitions of each other.
    struct Group: Sendable, Hashable {
        var subject: Subject
        /// The session; empty if it is unknown.
        var session: String
        /// The code of the error, if there is one.
        var code: String?
    }

    private let timer: SharedTimer
    private let logger: Logger
    /// The number of warnings in the current interval of each group.
    private let counts = Mutex<[Group: Int]>([:])

    /// Creates an instance without warnings.
    ///
    /// - Parameter timer: Ends the intervals.
    init(timer: SharedTimer, logger: Logger) {
        self.timer = timer
        self.logger = logger
    }

    /// Logs a warning, or counts it if its group had enough of them in the current interval.
    ///
    /// - Parameter metadata: Called if the warning is logged.
    func log(_ message: Logger.Message, in group: Group, _ metadata: () -> Logger.Metadata) {
        let level = group.subject.level
        guard logger.logLevel <= level else { return }
        let count = counts.withLock { counts in
            counts[group, default: 0] += 1
            return counts[group, default: 0]
        }
        if count == 1 {
            // The interval ends by itself.
            _ = timer.set(after: Self.interval, grain: .seconds(1)) { [weak self] in self?.endInterval(of: group) }
        }
        guard count <= group.subject.burst else { return }
        logger.log(level: level, message, metadata: metadata())
    }

    /// Reports the repetitions that are not reported yet; called at the end of the gateway.
    func close() {
        for group in counts.withLock({ $0.keys }) { endInterval(of: group) }
    }

    private func endInterval(of group: Group) {
        let count = counts.withLock { $0.removeValue(forKey: group) ?? 0 }
        let subject = group.subject
        guard count > subject.burst else { return }
        var metadata: Logger.Metadata = [subject.counted: .stringConvertible(count - subject.burst)]
        if !group.session.isEmpty { metadata["session"] = .string(group.session) }
        if let code = group.code { metadata["code"] = .string(code) }
        logger.log(level: subject.level, subject.message, metadata: metadata)
    }
}
