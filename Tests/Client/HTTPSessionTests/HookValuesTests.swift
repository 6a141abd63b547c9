import HTTPSession
import Testing

/// Programs test their own hooks with such values.
@Suite("The values that hooks are given can be created")
struct HookValuesTests {
    private struct Refused: Error {}

    private func request(_ method: HTTPRequest.Method = .get) throws -> TransferRequest {
        TransferRequest(method: method, url: try HTTPURL("https://e.com/a"))
    }

    private func response(_ status: Int, _ text: String = "") throws -> SessionResponse {
        SessionResponse(
            head: ResponseHead(status: status, headers: [.contentType: "text/plain", .setCookie: "a=s3cret"]),
            url: try HTTPURL("https://e.com/a"),
            body: ReceivedBody(size: Int64(text.utf8.count), content: .bytes(Array(text.utf8))))
    }

    @Test("for a validator")
    func validator() async throws {
        let validator = ResponseCheck { if $0.text != "good" { throw Refused() } }
        let good = try response(200, "good")
        try await validator.validate(good, to: request())
        #expect(good.shownHeaders[.setCookie] == "[redacted]")
        let bad = try response(200, "bad")
        await #expect(throws: Refused.self) { try await validator.validate(bad, to: request()) }
    }

    @Test("for a retrier")
    func retrier() async throws {
        let retrier = BackoffRetrier.backoff()
        let busy = SessionError(.unacceptableStatus, "busy")
        func result(_ method: HTTPRequest.Method, _ status: Int, number: Int = 1) async throws -> RetryResult {
            let attempt = FailedAttempt(
                request: try request(method), response: try response(status), error: busy, number: number)
            #expect(attempt.number == number)
            return await retrier.retry(after: attempt)
        }
        #expect(try await result(.get, 503) != .doNotRetry)
        #expect(try await result(.get, 503, number: 3) == .doNotRetry)
        #expect(try await result(.get, 404) == .doNotRetry)
        #expect(try await result(.post, 503) == .doNotRetry)
        let unsent = FailedAttempt(request: try request(.post), error: SessionError(.cannotConnect, "refused"))
        #expect(await retrier.retry(after: unsent) != .doNotRetry)
    }

    @Test("for code that gets downloads")
    func download() throws {
        let file = DownloadedFile(path: "/srv/a", size: 4, response: try response(200))
        #expect(try DownloadOutcome(file: file).success.path == "/srv/a")
        let failed = DownloadOutcome(error: DownloadError(SessionError(.diskFull, "full")))
        #expect(throws: DownloadError.self) { try failed.success }
    }
}
