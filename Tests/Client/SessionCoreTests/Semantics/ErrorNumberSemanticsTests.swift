import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The numbers of NSURLErrorDomain, as AFNetworking's users know them, for errors of transfers.
@Suite("Rules of error numbers", .timeLimit(.hang))
struct ErrorNumberSemanticsTests {
    /// In libcurl's terms, which the transport translates into its own codes.
    @Test(
        "a failed transfer has the number of its kind",
        arguments: [
            ("CURLE_UNSUPPORTED_PROTOCOL (1)", .unsupportedURL, -1002, .transport),
            ("CURLE_URL_MALFORMAT (3)", .badURL, -1000, .transport),
            ("CURLE_COULDNT_RESOLVE_HOST (6)", .cannotFindHost, -1003, .transport),
            ("CURLE_COULDNT_CONNECT (7)", .cannotConnect, -1004, .transport),
            ("CURLE_COULDNT_CONNECT (7) with ENETUNREACH or ENETDOWN", .notConnected, -1009, .transport),
            (
                "CURLE_PARTIAL_FILE (18), GOT_NOTHING (52), SEND_ERROR (55), RECV_ERROR (56)", .connectionLost, -1005,
                .transport
            ),
            ("CURLE_WRITE_ERROR (23)", .cannotWrite, -3003, .file),
            ("CURLE_OPERATION_TIMEDOUT (28)", .timedOut, -1001, .transport),
            ("CURLE_SSL_CONNECT_ERROR (35)", .secureConnectionFailed, -1200, .tls),
            ("CURLE_ABORTED_BY_CALLBACK (42)", .canceled, -999, .gateway),
            ("CURLE_SSL_CERTPROBLEM (58)", .clientCertificateRejected, -1205, .tls),
            // In AFNetworking, -1202 stands for a host name or a pin that does not match.
            ("CURLE_PEER_FAILED_VERIFICATION (60)", .untrustedRoot, -1203, .tls),
            ("CURLE_BAD_CONTENT_ENCODING (61)", .badContentEncoding, -1015, .transport),
            ("CURLE_FILESIZE_EXCEEDED (63)", .bodyTooLarge, -1103, .transport),
            ("CURLE_SEND_FAIL_REWIND (65)", .bodyStreamExhausted, -1021, .transport),
            ("CURLE_AUTH_ERROR (94), LOGIN_DENIED (67)", .authenticationFailed, -1012, .transport),
            ("CURLE_SSL_CLIENTCERT (98)", .clientCertificateRequired, -1206, .tls),
            ("ENOSPC of a sink", .diskFull, -3003, .file),
            ("any other", .transportError, -1, .transport),
        ] as [(String, TransferError.Code, Int, SessionErrorCode.Domain)])
    func transfers(cause: String, code: TransferError.Code, number: Int, domain: SessionErrorCode.Domain) async throws {
        let outcome = try await Example().outcome([.fail(TransferError(code, "What happened"))])
        #expect(outcome.numbers == [number], "\(cause)")
        #expect(outcome.error?.domain == domain, "\(cause)")
        #expect(outcome.error?.message == "What happened")
    }

    @Test("every kind of failed transfer has a number, except those that the session itself forbids")
    func complete() {
        let unnumbered = TransferError.Code.allCases.filter { SessionError(TransferError($0, "")).number == nil }
        #expect(unnumbered == [.egressDenied, .sessionClosed])
    }

    @Test(
        "AFNetworking: nothing is parsed after an error of the transfer",
        arguments: [nil, 0, 1] as [Int?])
    func nothingParsed(pieces: Int?) async throws {
        let head = ScriptedTransport.Step.head(200, [.contentType: "application/json"])
        let steps = pieces.map { [head] + Array(repeating: .text("{}"), count: $0) } ?? []
        let outcome = try await Example().outcome(steps + [.fail(TransferError(.connectionLost, "Lost"))])
        #expect(outcome.numbers == [-1005])
        #expect(outcome.object == nil && outcome.response?.body == nil)
        #expect((outcome.response != nil) == (pieces != nil))
    }

    @Test("a response that is too large is -1103, by its stated length or its bytes", arguments: ["11", nil])
    func tooLarge(length: String?) async throws {
        let example = try Example { $0.response.disposition.maxBodyBytes = 10 }
        var head = ResponseHead(status: 200, headers: [.contentType: "application/json"])
        head.headers[.contentLength] = length
        let outcome = try await example.outcome([.head(head), .text("[1,2,3,4,5]")])
        #expect(outcome.numbers == [-1103])
    }

    @Test(
        "Alamofire: only a transient failure can be retried",
        arguments: [
            (.timedOut, true), (.cannotFindHost, true), (.cannotConnect, true), (.connectionLost, true),
            (.notConnected, true), (.secureConnectionFailed, true), (.canceled, false), (.badURL, false),
            (.unsupportedURL, false),
            (.untrustedRoot, false), (.clientCertificateRejected, false), (.clientCertificateRequired, false),
            (.bodyStreamExhausted, false), (.bodyTooLarge, false), (.badContentEncoding, false),
            (.authenticationFailed, false),
            // The gateway's own disk, which may have room later.
            (.cannotWrite, true), (.diskFull, true),
        ] as [(TransferError.Code, Bool)])
    func retryable(code: TransferError.Code, isRetryable: Bool) async throws {
        let outcome = try await Example().outcome([.fail(TransferError(code, "What happened"))])
        #expect(outcome.error?.isRetryable == isRetryable)
    }

    @Test(
        "Alamofire: these statuses and 429 can be retried too",
        arguments: [
            (408, true), (429, true), (500, true), (502, true), (503, true), (504, true), (400, false), (401, false),
            (403, false), (404, false), (409, false), (501, false), (505, false),
        ])
    func retryable(status: Int, isRetryable: Bool) async throws {
        let outcome = try await Example().outcome([.head(status)])
        #expect(outcome.numbers == [-1011] && outcome.error?.isRetryable == isRetryable)
    }

    @Test(
        "Alamofire: idempotent methods (RFC 9110 §9.2.2) are those that a transport may resend",
        arguments: [
            ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("OPTIONS", true), ("POST", false),
            ("PATCH", false), ("BREW", false),
        ])
    func idempotent(method: String, mayResend: Bool) throws {
        let example = try Example { $0.allowedMethods = [HTTPRequest.Method(method)].compactMap(\.self) }
        #expect(try example.request(TaskRequest(method: method)).mayResend == mayResend)
    }
}
