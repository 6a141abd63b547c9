import HTTPSession
import HTTPTypes

extension MonitoredAttempt {
    /// Returns an attempt of 120 ms that sent 100 bytes and received 2,000.
    static func sample(
        session: String = "api", method: HTTPRequest.Method = .get, status: Int? = nil, headers: HTTPFields = [:],
        error: SessionError? = nil
    ) throws -> MonitoredAttempt {
        let url = try HTTPURL("https://api.example/v1/users?token=secret")
        var metrics = TransferMetrics()
        metrics.total = .milliseconds(120)
        metrics.bytesSent = 100
        metrics.bytesReceived = 2000
        let response = status.map { SessionResponse(head: ResponseHead(status: $0, headers: headers), url: url) }
        return MonitoredAttempt(
            session: session, task: SessionTaskID(number: 7), method: method, url: url,
            outcome: SessionOutcome(response: response, error: error, metrics: metrics))
    }
}
