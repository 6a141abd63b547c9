import HTTPServer
import HTTPTypes
import Locking
package import Logging
import SessionCore
import TaskStore

/// Says who did what: one line for each request that is to change something, and for each that was refused.
///
/// A line has no content, no query and no secret. Refused requests cost the one who sends them nothing, so no more than
/// ``refusalsPerSecond`` lines are written of them; the next one says how many were left out. Any thread.
package final class AuditLog: Sendable {
    /// The most lines about refused requests, also at once.
    package static let refusalsPerSecond = 10

    private let logger: Logger
    private let refusals: Mutex<Refusals>
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct Refusals {
        var budget: TokenBucket
        var omitted = 0
    }

    /// Creates a log that writes to `logger`.
    package init(
        _ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.logger = logger
        self.now = now
        refusals = Mutex(Refusals(budget: TokenBucket(Self.refusalsPerSecond, per: .seconds(1), at: now())))
    }

    /// One request as the log has it.
    struct Entry: Sendable {
        var head: RequestHead
        /// The pattern of its route; `nil` when it has none.
        var route: String?
        /// The name of the token; `nil` when none was shown or known.
        var tokenName: String?
        /// What it was about.
        var subject = AuditNotes.Subject()
    }

    /// Whether a method is a safe one (RFC 9110 §9.2.1), which asks for no change.
    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        switch method {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Writes down a request that was let in, and what came of it.
    ///
    /// A safe one changes nothing, and is not worth a line.
    func answered(_ entry: Entry, _ status: HTTPResponse.Status) {
        guard !Self.isSafe(entry.head.method) else { return }
        // That was no endpoint's work: nothing is there, or the caller must not do it to this session.
        guard entry.route != nil, status != .forbidden else { return refused(entry, status) }
        logger.info("Audit: request for a change", metadata: entry.metadata(status))
    }

    /// Writes down a request that was not let in, unless there are too many of them.
    func refused(_ entry: Entry, _ status: HTTPResponse.Status) {
        let now = now()
        let omitted = refusals.withLock { refusals -> Int? in
            guard refusals.budget.take(at: now) else {
                refusals.omitted += 1
                return nil
            }
            defer { refusals.omitted = 0 }
            return refusals.omitted
        }
        guard let omitted else { return }
        var metadata = entry.metadata(status)
        if omitted > 0 { metadata["omitted_before"] = "\(omitted)" }
        logger.notice("Audit: request refused", metadata: metadata)
    }
}

extension AuditLog.Entry {
    fileprivate func metadata(_ status: HTTPResponse.Status) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "method": "\(head.method.rawValue)", "path": "\(head.target.path)", "status": "\(status.code)",
            "client": "\(head.remoteAddress.isEmpty ? "unix" : head.remoteAddress)",
        ]
        func add(_ key: String, _ value: String?) {
            if let value { metadata[key] = "\(value)" }
        }
        add("certificate", head.clientCertificate)
        add("token", tokenName)
        add("route", route)
        add("task", subject.task?.description)
        add("session", subject.session)
        add("request_id", head.requestID)
        return metadata
    }
}
