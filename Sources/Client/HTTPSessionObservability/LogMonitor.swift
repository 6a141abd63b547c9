import ErrandTime
import ErrandTransfer
public import HTTPSession
public import Logging

/// A monitor that writes a line for each attempt to a logger of swift-log.
///
/// ```swift
/// let hooks = SessionHooks(monitors: [.log(to: Logger(label: "api"))])
/// let api = try Session(baseURL: "https://api.example.com/v1", hooks: hooks)
/// ```
///
/// The lines are `Request succeeded`, `Request failed`, `Request interrupted by its suspension` for an attempt that is
/// repeated because it was suspended for too long, and `Request repeated` for one after which a download requests its
/// content again, or the rest of it. Their metadata are `session` (unless its name is empty),
/// `request` (the number of the request in its session), `method`, `url` without its query, `duration_ms` without the
/// time of suspensions, `sent_bytes` and `received_bytes` on the wire, and if there are any `status`, `redirects`, the
/// `error` code and its `reason`, the message of the error. Header fields and content are not written, with these
/// exceptions: a message may name the media type and the content coding of a response, and the message of an error that
/// a hook or a serializer of the program has made is written as it is.
public struct LogMonitor: RequestMonitor {
    private let logger: Logger
    private let successLevel: Logger.Level
    private let failureLevel: Logger.Level

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - successLevel: The level of attempts without an error. Default: `debug`.
    ///   - failureLevel: The level of attempts that failed, also if a retrier lets another one follow. Default:
    ///     `warning`. An attempt that was canceled or interrupted, or that a download repeats, has `successLevel`.
    public init(_ logger: Logger, successLevel: Logger.Level = .debug, failureLevel: Logger.Level = .warning) {
        self.logger = logger
        self.successLevel = successLevel
        self.failureLevel = failureLevel
    }

    /// Writes the line of an attempt.
    public func attemptDidEnd(_ attempt: MonitoredAttempt) {
        let outcome = attempt.outcome
        guard !outcome.mayRestart else { return noteRepeated(attempt) }
        guard let error = outcome.error else {
            return logger.log(level: successLevel, "Request succeeded", metadata: Self.metadata(of: attempt))
        }
        logger.log(
            level: error.code == .canceled ? successLevel : failureLevel, "Request failed",
            metadata: Self.metadata(of: attempt, failed: error))
    }

    /// Writes the line of an attempt that another one follows, without a retrier.
    private func noteRepeated(_ attempt: MonitoredAttempt) {
        guard attempt.outcome.wasLostToSuspension else {
            // An error is only that of a response which the download has given up.
            return logger.log(level: successLevel, "Request repeated", metadata: Self.metadata(of: attempt))
        }
        logger.log(
            level: successLevel, "Request interrupted by its suspension",
            metadata: Self.metadata(of: attempt, failed: attempt.outcome.error))
    }

    private static func metadata(of attempt: MonitoredAttempt, failed error: SessionError? = nil) -> Logger.Metadata {
        let metrics = attempt.outcome.metrics
        var metadata: Logger.Metadata = [
            "request": .stringConvertible(attempt.task), "method": "\(attempt.method)", "url": "\(attempt.shownURL)",
            "duration_ms": .stringConvertible((metrics.total - metrics.suspended).wholeMilliseconds),
            "sent_bytes": .stringConvertible(metrics.bytesSent),
            "received_bytes": .stringConvertible(metrics.bytesReceived),
        ]
        if !attempt.session.isEmpty { metadata["session"] = "\(attempt.session)" }
        if let status = attempt.status { metadata["status"] = .stringConvertible(status) }
        let redirects = attempt.outcome.redirects.count
        if redirects > 0 { metadata["redirects"] = .stringConvertible(redirects) }
        if let error {
            metadata["error"] = "\(error.code.rawValue)"
            metadata["reason"] = "\(error.message)"
        }
        return metadata
    }
}

extension RequestMonitor where Self == LogMonitor {
    /// Returns a monitor that writes a line for each attempt to a logger: see ``LogMonitor``.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - successLevel: The level of attempts without an error. Default: `debug`.
    ///   - failureLevel: The level of attempts that failed. Default: `warning`.
    public static func log(
        to logger: Logger, successLevel: Logger.Level = .debug, failureLevel: Logger.Level = .warning
    ) -> Self {
        LogMonitor(logger, successLevel: successLevel, failureLevel: failureLevel)
    }
}
