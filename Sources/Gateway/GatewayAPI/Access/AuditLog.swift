import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandTaskStore
import HTTPTypes
package import Logging

/// The audit log: one line for each modifying request, and for each refused one.
///
/// A line contains no query, no secret, and nothing of a body but the selection of a bulk call. To limit the cost of an
/// attack, at most ``refusalsPerSecond`` lines about refused requests are written; the next one has the number of
/// skipped ones. Any thread.
package final class AuditLog: Sendable {
    /// The maximum number of lines about refused requests per second, also as a burst.
    package static let refusalsPerSecond = 10

    /// The source of the lines (`LogEvent.source`), which lets a log keep them longer than others.
    package static let source = "audit"

    private let logger: Logger
    private let refusals: Mutex<Refusals>
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct Refusals {
        var budget: TokenBucket
        var omitted = 0
    }

    /// Creates an audit log that writes to `logger`.
    package init(
        _ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.logger = logger
        self.now = now
        refusals = Mutex(Refusals(budget: TokenBucket(Self.refusalsPerSecond, per: .seconds(1), at: now())))
    }

    /// A request to be logged.
    struct Entry: Sendable {
        var head: RequestHead
        /// The pattern of the matched route; `nil` when none matched.
        var route: String?
        /// The name of the token; `nil` without a known token.
        var tokenName: String?
        /// The task and session that the request concerns.
        var subject = AuditNotes.Subject()
    }

    /// Returns true for a safe method, which requests no change (RFC 9110 §9.2.1).
    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        switch method {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Logs an authorized request and its status.
    ///
    /// Safe requests are not logged.
    func answered(_ entry: Entry, _ status: HTTPResponse.Status) {
        guard !Self.isSafe(entry.head.method) else { return }
        // Not handled by an endpoint: no route, or a session that the caller must not change.
        guard entry.route != nil, status != .forbidden else { return refused(entry, status) }
        logger.info("Audit: request for a change", metadata: entry.metadata(status), source: Self.source)
    }

    /// Logs a refused request, unless the limit per second is reached.
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
        if omitted > 0 { metadata["omitted_before"] = .stringConvertible(omitted) }
        logger.notice("Audit: request refused", metadata: metadata, source: Self.source)
    }
}

extension AuditLog.Entry {
    fileprivate func metadata(_ status: HTTPResponse.Status) -> Logger.Metadata {
        // Room for all of them, and for the number of omitted lines.
        var metadata = Logger.Metadata(minimumCapacity: 12 + subject.details.count)
        func add(_ key: String, _ value: String?) {
            if let value { metadata[key] = .string(value) }
        }
        add("method", head.method.rawValue)
        add("path", head.target.path)
        metadata["status"] = .stringConvertible(status.code)
        add("client", head.remoteAddress.isEmpty ? "unix" : head.remoteAddress)
        add("certificate", head.clientCertificate)
        add("token", tokenName)
        add("route", route)
        add("task", subject.task?.description)
        add("session", subject.session)
        add("trace_id", subject.trace?.traceID)
        add("request_id", head.requestID)
        for detail in subject.details { metadata[detail.key] = detail.value.metadata }
        return metadata
    }
}

extension AuditNotes.Detail.Value {
    fileprivate var metadata: Logger.MetadataValue {
        switch self {
        case .number(let number): .stringConvertible(number)
        case .flag(let flag): .stringConvertible(flag)
        case .text(let text): .string(text)
        case .texts(let texts): .array(texts.map { .string($0) })
        }
    }
}
