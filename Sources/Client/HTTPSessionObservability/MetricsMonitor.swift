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
/// `outcome` is the class of the status, such as `2xx`, of an attempt without an error, and otherwise the code of the
/// error, such as `timed_out`. Bytes are those on the wire. No URL and no other text of a request is a dimension; a
/// method that is not one of RFC 9110 or PATCH is `other`.
public final class MetricsMonitor: RequestMonitor {
    private let prefix: String
    private let factory: any MetricsFactory
    private let recorders = Mutex<[Series: Recorders]>([:])

    /// The dimensions of an attempt.
    fileprivate struct Series: Hashable {
        let session: String
        let method: String
        let outcome: String
    }

    /// The metrics of a series, created with its first attempt.
    private struct Recorders {
        let attempts: Counter
        let duration: Metrics.Timer
        let sentBytes: Counter
        let receivedBytes: Counter
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
        let recorders = recorders(of: Series(attempt))
        let metrics = attempt.outcome.metrics
        recorders.attempts.increment()
        recorders.duration.record(duration: metrics.total)
        recorders.sentBytes.increment(by: metrics.bytesSent)
        recorders.receivedBytes.increment(by: metrics.bytesReceived)
    }

    private func recorders(of series: Series) -> Recorders {
        recorders.withLock { known in
            if let recorders = known[series] { return recorders }
            let recorders = makeRecorders(of: series)
            known[series] = recorders
            return recorders
        }
    }

    private func makeRecorders(of series: Series) -> Recorders {
        let session = [("session", series.session)]
        let all = session + [("method", series.method), ("outcome", series.outcome)]
        return Recorders(
            attempts: Counter(label: "\(prefix)_attempts", dimensions: all, factory: factory),
            duration: Timer(label: "\(prefix)_attempt_duration", dimensions: all, factory: factory),
            sentBytes: Counter(label: "\(prefix)_sent_bytes", dimensions: session, factory: factory),
            receivedBytes: Counter(label: "\(prefix)_received_bytes", dimensions: session, factory: factory))
    }
}

extension MetricsMonitor.Series {
    fileprivate init(_ attempt: MonitoredAttempt) {
        session = attempt.session
        method = Self.methods.contains(attempt.method.rawValue) ? attempt.method.rawValue : "other"
        outcome = attempt.outcome.error?.code.rawValue ?? attempt.status.map { "\($0 / 100)xx" } ?? "none"
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
