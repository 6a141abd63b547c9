public import CoreMetrics
import ErrandLocking
import ErrandTransfer
public import HTTPSession
import Metrics

/// A monitor that counts attempts with swift-metrics.
///
/// ```swift
/// let hooks = SessionHooks(monitors: [.metrics()])
/// ```
///
/// | metric | kind | dimensions besides `session` |
/// | --- | --- | --- |
/// | `http_session_attempts` | counter | `method`, `outcome` |
/// | `http_session_attempt_duration` | timer | `method`, `outcome` |
/// | `http_session_sent_bytes`, `http_session_received_bytes` | counter | |
///
/// `session` is the name of the session, which for `Session(baseURL:)` is the host of its URL; after the first 100 names
/// others are `other`, so that a program with a host for each customer does not fill its backend. `outcome` is the class
/// of the status, such as `2xx`, of an attempt without an error, and of one after which a download requests its content
/// again, or the rest of it; `suspended` for an attempt that is repeated because it was suspended for too long; and
/// otherwise the code of the error, such as `timed_out`. Durations do not count the time of suspensions; bytes are
/// those on the wire. A method that is not one of RFC 9110 or PATCH is `other`.
public final class MetricsMonitor: RequestMonitor {
    private let prefix: String
    private let factory: any MetricsFactory
    private let state = Mutex(State())

    /// The most sessions with a dimension of their own.
    private static let maxSessions = 100

    private struct State {
        var attempts: [Series: AttemptRecorders] = [:]
        var bytes: [String: ByteCounters] = [:]
    }

    /// The dimensions of an attempt.
    fileprivate struct Series: Hashable {
        var session: String
        let method: String
        let outcome: String
    }

    /// The metrics of a series, created with its first attempt.
    private struct AttemptRecorders {
        let attempts: Counter
        let duration: Metrics.Timer
    }

    /// The metrics of a session, created with its first attempt.
    private struct ByteCounters {
        let sent: Counter
        let received: Counter
    }

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - prefix: The first part of the names of the metrics. Default: `http_session`.
    ///   - factory: The backend. Default: that with which the program has bootstrapped `MetricsSystem`.
    public init(prefix: String = "http_session", factory: any MetricsFactory = MetricsSystem.factory) {
        self.prefix = prefix
        self.factory = factory
    }

    /// Counts an attempt.
    public func attemptDidEnd(_ attempt: MonitoredAttempt) {
        let metrics = attempt.outcome.metrics
        let (attempts, bytes) = state.withLock { recorders(of: Series(attempt), in: &$0) }
        attempts.attempts.increment()
        attempts.duration.record(duration: metrics.total - metrics.suspended)
        bytes.sent.increment(by: metrics.bytesSent)
        bytes.received.increment(by: metrics.bytesReceived)
    }

    private func recorders(of series: Series, in state: inout State) -> (AttemptRecorders, ByteCounters) {
        var series = series
        if state.bytes[series.session] == nil, state.bytes.count >= Self.maxSessions { series.session = "other" }
        let session = [("session", series.session)]
        let bytes =
            state.bytes[series.session]
            ?? ByteCounters(
                sent: Counter(label: "\(prefix)_sent_bytes", dimensions: session, factory: factory),
                received: Counter(label: "\(prefix)_received_bytes", dimensions: session, factory: factory))
        state.bytes[series.session] = bytes
        let all = session + [("method", series.method), ("outcome", series.outcome)]
        let attempts =
            state.attempts[series]
            ?? AttemptRecorders(
                attempts: Counter(label: "\(prefix)_attempts", dimensions: all, factory: factory),
                duration: Timer(label: "\(prefix)_attempt_duration", dimensions: all, factory: factory))
        state.attempts[series] = attempts
        return (attempts, bytes)
    }
}

extension MetricsMonitor.Series {
    fileprivate init(_ attempt: MonitoredAttempt) {
        session = attempt.session
        method = Self.methods.contains(attempt.method.rawValue) ? attempt.method.rawValue : "other"
        outcome = Self.result(of: attempt)
    }

    /// Returns the dimension `outcome` of an attempt.
    private static func result(of attempt: MonitoredAttempt) -> String {
        let (outcome, status) = (attempt.outcome, attempt.status.map { "\($0 / 100)xx" })
        let code = outcome.error?.code.rawValue
        guard outcome.mayRestart else { return code ?? status ?? "none" }
        // The error is only that of a response which the download has given up.
        return outcome.wasLostToSuspension ? "suspended" : status ?? code ?? "none"
    }

    /// The methods of RFC 9110 §9.3 and RFC 5789.
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"]
}

extension RequestMonitor where Self == MetricsMonitor {
    /// Returns a monitor that counts attempts with swift-metrics: see ``MetricsMonitor``.
    ///
    /// - Parameters:
    ///   - prefix: The first part of the names of the metrics. Default: `http_session`.
    ///   - factory: The backend. Default: that with which the program has bootstrapped `MetricsSystem`.
    public static func metrics(
        prefix: String = "http_session", factory: any MetricsFactory = MetricsSystem.factory
    ) -> Self {
        MetricsMonitor(prefix: prefix, factory: factory)
    }
}
