import ErrandSessionCore
import Testing

@Suite("The table of error codes")
struct SessionErrorCodeTests {
    /// The table as documented by the API, written out by hand.
    static let table: [(domain: String, code: String, number: Int?)] = [
        ("transport", "timed_out", -1001),
        ("transport", "cannot_find_host", -1003),
        ("transport", "cannot_connect", -1004),
        ("transport", "connection_lost", -1005),
        ("transport", "not_connected", -1009),
        ("transport", "too_many_redirects", -1007),
        ("transport", "bad_url", -1000),
        ("transport", "unsupported_url", -1002),
        ("transport", "authentication_failed", -1012),
        ("transport", "body_stream_exhausted", -1021),
        ("transport", "bad_content_encoding", -1015),
        ("transport", "cannot_parse_response", -1017),
        ("transport", "body_too_large", -1103),
        ("transport", "transport_error", -1),
        ("tls", "secure_connection_failed", -1200),
        ("tls", "certificate_expired", -1201),
        ("tls", "certificate_not_yet_valid", -1204),
        ("tls", "host_mismatch", -1202),
        ("tls", "pin_mismatch", -1202),
        ("tls", "revoked", -1202),
        ("tls", "untrusted_root", -1203),
        ("tls", "client_certificate_rejected", -1205),
        ("tls", "client_certificate_required", -1206),
        ("request", "unserializable_parameters", -1016),
        ("request", "file_not_found", -1100),
        ("request", "bad_file", -1000),
        ("response", "unacceptable_status", -1011),
        ("response", "unacceptable_content_type", -1016),
        ("response", "unparsable_body", 3840),
        ("file", "cannot_create", -3000),
        ("file", "cannot_write", -3003),
        ("file", "cannot_move", -3005),
        ("file", "exists", -3005),
        ("file", "checksum_mismatch", -1015),
        ("file", "disk_full", -3003),
        ("policy", "egress_denied", nil),
        ("policy", "url_out_of_scope", nil),
        ("policy", "redirect_refused", nil),
        ("policy", "method_not_allowed", nil),
        ("policy", "hook_failed", nil),
        ("gateway", "canceled", -999),
        ("gateway", "deadline_exceeded", nil),
        ("gateway", "content_missing", nil),
        ("gateway", "content_incomplete", nil),
        ("gateway", "interrupted", nil),
        ("gateway", "session_closed", nil),
        ("gateway", "internal", nil),
    ]

    @Test("gives each code its domain and number", arguments: table)
    func row(domain: String, code: String, number: Int?) throws {
        let entry = try #require(SessionErrorCode(rawValue: code))
        #expect(entry.domain.rawValue == domain)
        #expect(entry.number == number)
    }

    @Test("has no code that is not documented")
    func closed() {
        #expect(Set(SessionErrorCode.allCases.map(\.rawValue)) == Set(Self.table.map(\.code)))
        #expect(SessionErrorCode.allCases.count == Self.table.count)
    }

    @Test("marks only transient errors as retryable")
    func retryable() {
        let retryable = SessionErrorCode.allCases.filter(\.isRetryable).map(\.rawValue)
        #expect(
            retryable.sorted() == [
                "cannot_connect", "cannot_find_host", "cannot_write", "certificate_expired",
                "certificate_not_yet_valid", "connection_lost", "disk_full", "not_connected",
                "secure_connection_failed", "timed_out",
            ])
    }
}
