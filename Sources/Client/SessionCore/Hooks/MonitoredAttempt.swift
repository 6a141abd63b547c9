public import ErrandAuthentication
public import ErrandTransfer
public import HTTPTypes

/// An attempt that has ended, as a ``RequestMonitor`` sees it.
public struct MonitoredAttempt: Sendable {
    /// The name of the session; empty if it has none.
    public let session: String
    /// The number of the request in its session; all attempts of a ``SessionTask`` have the same.
    public let task: SessionTaskID
    /// The method of the request.
    public let method: HTTPRequest.Method
    /// The URL of the request, before redirects.
    ///
    /// Its query may contain secrets; ``shownURL`` has none.
    public let url: HTTPURL
    /// The result: response, error, metrics and the redirects followed.
    public let outcome: SessionOutcome

    /// The URL without its query.
    public var shownURL: String { "\(url.origin)\(url.path)" }

    /// The status of the response; `nil` without one.
    public var status: Int? { outcome.response?.head.status }

    /// Creates an attempt, for tests of a monitor.
    ///
    /// - Parameters:
    ///   - session: The name of the session. Default: empty.
    ///   - task: The number of the request. Default: 1.
    ///   - method: The method of the request. Default: GET.
    ///   - url: The URL of the request.
    ///   - outcome: The result.
    public init(
        session: String = "", task: SessionTaskID = SessionTaskID(number: 1), method: HTTPRequest.Method = .get,
        url: HTTPURL, outcome: SessionOutcome
    ) {
        self.session = session
        self.task = task
        self.method = method
        self.url = url
        self.outcome = outcome
    }
}

extension MonitoredAttempt: RedactedReflection {
    /// The method, the URL without its query, and the status or the error.
    public var description: String {
        let result = outcome.error.map { "\($0.code.rawValue)" } ?? status.map { "\($0)" } ?? "no response"
        return "\(method) \(shownURL): \(result)"
    }
}
