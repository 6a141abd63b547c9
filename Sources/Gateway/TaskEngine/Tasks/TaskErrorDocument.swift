import ErrandJSON
import ErrandSessionCore

/// The `error` member of a task.
enum TaskErrorDocument {
    /// The error of a task that a client has canceled.
    static let canceled = bytes(of: .canceled)

    /// The error of an attempt that was interrupted by the end of the process.
    static let interrupted = bytes(of: interruption)

    /// Returns the error of a task whose attempt was interrupted by the end of the process and must not be repeated.
    static func interrupted(notRetried reason: NoRetryReason) -> [UInt8] {
        bytes(of: interruption, notRetried: reason)
    }

    private static let interruption = SessionError(
        .interrupted, "The gateway stopped during the attempt; the request may have arrived", mayHaveArrived: true)

    /// The error of a task that has not succeeded before its deadline.
    static let deadlineExceeded = bytes(of: .deadlineExceeded)

    /// The error of a task whose destination keeps failing when the time for all of its attempts is over.
    static let destinationFailed = bytes(
        of: SessionError(
            .deadlineExceeded,
            "The receiver keeps failing, and the time is over in which all attempts would have been made; retry the "
                + "delivery when the receiver works"),
        notRetried: .time)

    /// The error of a task whose content has not arrived in time.
    static let contentMissing = bytes(
        of: SessionError(
            .contentMissing, "The content of the request did not arrive within 24 hours; nothing was sent"))

    /// The error of a task whose client has left before a part of its content was sent.
    static let contentIncomplete = bytes(
        of: SessionError(
            .contentIncomplete, "The client left before its content was passed on; nothing was sent"))

    /// Returns the error as a JSON object.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - reason: The reason for which the task was not retried; `nil` if there is none, or the error is final.
    static func bytes(of error: SessionError, notRetried reason: NoRetryReason? = nil) -> [UInt8] {
        var writer = JSONWriter()
        write(error, notRetried: reason, to: &writer)
        return writer.bytes
    }

    /// Writes the error as a JSON object.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - reason: The reason for which the task was not retried; `nil` if there is none, or the error is final.
    ///   - writer: The writer.
    static func write(_ error: SessionError, notRetried reason: NoRetryReason? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("domain", error.domain.rawValue)
        writer.member("code", error.code.rawValue)
        writer.member("number", error.number)
        writer.member("message", error.message)
        writer.member("retryable", error.isRetryable)
        if error.mayHaveArrived {
            writer.member("may_have_arrived", true)
        }
        if let reason {
            writer.member("not_retried", reason.rawValue)
        }
        writer.member("underlying")
        if let underlying = error.underlying { write(underlying, to: &writer) } else { writer.null() }
        writer.endObject()
    }
}
